import type { Embedders } from '@daybook/embeddings/embedders'
import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import { startOperations } from '@daybook/operations/run-operations'
import type { OperationHandlers } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import type { OpenEngine } from '@daybook/projection/engine/engine'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import type { Bus } from '@daybook/transport/bus'
import { handleBackfill } from './backfill/handle-backfill.ts'
import { startDroppingOld } from './drop-old.ts'
import { handleRetryParked } from './parked/handle-retry-parked.ts'
import { startRetryingUnreadable } from './parked/retry-unreadable.ts'
import type { Projections } from './projections.ts'
import { handleReindex } from './reindex/handle-reindex.ts'
import { handleReplay } from './replay/handle-replay.ts'
import { startRebuildingUnusable } from './unusable/rebuild-unusable.ts'
import { handleVerify } from './verify/handle-verify.ts'
import { handleVerifyJournal } from './verify/handle-verify-journal.ts'

export interface ReindexServiceOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  readonly embedders: Embedders
  readonly workers: QueueWorkers
  /** Those that are configured. Operations on others wait for a process that has them. */
  readonly engines: readonly OpenEngine[]
  /** Milliseconds for which an old generation stays. */
  readonly keepOldMs: number
  /** Milliseconds after which the operation of a dead process is another's. Default 10,000. */
  readonly leaseMs?: number | undefined
  /** As of `RetryUnreadableOptions`. */
  readonly readerVersion?: number | undefined
  readonly activity?: Activity | undefined
  /** Milliseconds between looks for something to do. Default: what each loop is made for. */
  readonly pollMs?: number | undefined
  /** As of `RebuildableProjection.seenMs`. */
  readonly seenMs?: number | undefined
}

export interface ReindexService {
  /** Gives back what is under way: the next start, or another process, goes on with it. */
  stop(): Promise<void>
}

/** Works off what operators ask for, on every projection that is configured here. */
export function startReindex(options: ReindexServiceOptions): ReindexService {
  const { db, bus, signal, logger, embedders, workers, engines, keepOldMs, leaseMs } = options
  const { readerVersion, activity, pollMs, seenMs } = options
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
  const watching = { db, projections, logger, activity, pollMs }
  const dropping = startDroppingOld({ ...watching, keepMs: keepOldMs })
  const rebuilding = startRebuildingUnusable(watching)
  const retrying = startRetryingUnreadable({ ...watching, readerVersion })
  return {
    async stop() {
      await retrying.stop()
      await rebuilding.stop()
      await operations.stop()
      await dropping.stop()
    },
  }
}
