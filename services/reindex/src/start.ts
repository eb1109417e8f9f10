import type { Embedders } from '@daybook/embeddings/embedders'
import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { type OperationHandlers, startOperations } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { PositionSignal } from '@daybook/projection/positions/positions'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity } from '@daybook/runtime/loop'
import type { Bus } from '@daybook/transport/bus'
import { handleBackfill } from './backfill/handle-backfill.ts'
import { startChores } from './chores.ts'
import { handleDeleteProject } from './delete-project/handle-delete-project.ts'
import { handleMapMemories } from './map/handle-map-memories.ts'
import { handleRetryParked } from './parked/retry-parked.ts'
import type { Projections } from './projects.ts'
import { handleReindex } from './reindex/handle-reindex.ts'
import { handleReplay } from './replay/handle-replay.ts'
import { handleUndo } from './undo/handle-undo.ts'
import { handleVerify } from './verify/handle-verify.ts'
import { handleVerifyJournal } from './verify/handle-verify-journal.ts'

/** The parts and settings of a reindex service. */
export interface ReindexServiceOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  readonly embedders: Embedders
  readonly workers: QueueWorkers
  /** The configured engines. Operations on other engines wait for a process that has them. */
  readonly engines: readonly OpenEngine[]
  /** How long an old generation is kept, in milliseconds. */
  readonly keepOldMs: number
  /** What undos append through. Default: one of its own, whose events the relays of gateways find. */
  readonly writer?: JournalWriter | undefined
  /** After this long another process may take a dead process's operation, in milliseconds. Default 10,000. */
  readonly leaseMs?: number | undefined
  /** See `ChoreOptions`. */
  readonly readerVersion?: number | undefined
  readonly activity?: Activity | undefined
  /** Milliseconds between looks for work. Default: each loop's own. */
  readonly pollMs?: number | undefined
  /** See `DeleteProjectParts.settleMs`. */
  readonly settleMs?: number | undefined
  /** See `RebuildableProjection.seenMs`. */
  readonly seenMs?: number | undefined
}

/** A running reindex service. */
export interface ReindexService {
  /** Releases the operations under way. The next start, or another process, goes on with them. */
  stop(): Promise<void>
}

/** Works on the operations that operators ask for, on every projection that is configured here. */
export function startReindex(options: ReindexServiceOptions): ReindexService {
  const { db, bus, signal, logger, embedders, workers, engines, keepOldMs, leaseMs } = options
  const { writer = createJournalWriter(() => {}, undefined, logger), readerVersion, activity } = options
  const { pollMs, seenMs } = options
  const projections: Projections = new Map(
    engines.map((engine) => [
      engine.name,
      { ...engine.projection({ db, bus, signal, logger, workers }), seenMs },
    ]),
  )
  // One line for each type of operation. A new one begins in `@daybook/operations/operation-types`.
  const handlers: OperationHandlers = {
    reindex: handleReindex({ db, projections, embedders, logger }),
    verify: handleVerify(db, projections),
    'verify-journal': handleVerifyJournal(db),
    replay: handleReplay(db, bus, projections),
    'retry-parked': handleRetryParked(db, projections),
    backfill: handleBackfill({ db, projections, embedders, logger }),
    undo: handleUndo(db, writer),
    'map-memories': handleMapMemories(db),
    'delete-project': handleDeleteProject({ db, bus, projections, settleMs: options.settleMs }),
  }
  const operations = startOperations({
    db,
    logger,
    handlers,
    projections: [...projections.keys()],
    activity,
    pollMs,
    leaseMs,
  })
  const chores = startChores({ db, projections, logger, activity, pollMs, keepOldMs, readerVersion })
  return {
    async stop() {
      await Promise.all([chores.stop(), operations.stop()])
    },
  }
}
