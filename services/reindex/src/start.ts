import type { Embedders } from '@daybook/embeddings/embedders'
import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import { startOperations } from '@daybook/operations/run-operations'
import type { OperationHandlers } from '@daybook/operations/work'
import { pgvectorRebuildableProjection } from '@daybook/pgvector/write/rebuildable'
import type { Database } from '@daybook/postgres/connect'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import type { Bus } from '@daybook/transport/bus'
import { createTypesenseClient, type TypesenseSettings } from '@daybook/typesense/client/client'
import { typesenseRebuildableProjection } from '@daybook/typesense/write/rebuildable'
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
  /** Whether the database is the embedded one, with one connection for everybody. */
  readonly oneConnection: boolean
  /** Milliseconds for which an old generation stays. */
  readonly keepOldMs: number
  /** Parallel workers of Postgres for the index of vectors. Default 0. */
  readonly indexWorkers?: number | undefined
  /** Absent: there is none, and its operations wait for a process that has one. */
  readonly typesense?: (TypesenseSettings & { readonly base?: string }) | undefined
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
  const { db, bus, signal, logger, embedders, workers, oneConnection, keepOldMs, typesense, leaseMs } =
    options
  const { indexWorkers = 0, readerVersion, activity, pollMs, seenMs } = options
  const looks = pollMs === undefined ? {} : { pollMs }
  const applying = { db, bus, signal, logger, workers }
  const client = typesense === undefined ? null : createTypesenseClient(typesense)
  const projections: Projections = new Map(
    [
      pgvectorRebuildableProjection({ ...applying, oneConnection, indexWorkers }),
      ...(client === null
        ? []
        : [typesenseRebuildableProjection({ ...applying, client, base: typesense?.base })]),
    ].map((one) => [one.name, { ...one, seenMs }]),
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
    ...looks,
    ...(leaseMs !== undefined && { leaseMs }),
  })
  const dropping = startDroppingOld({
    db,
    projections,
    logger,
    keepMs: keepOldMs,
    activity,
    ...looks,
  })
  const rebuilding = startRebuildingUnusable({ db, projections, logger, activity, ...looks })
  const retrying = startRetryingUnreadable({
    db,
    projections,
    logger,
    activity,
    ...looks,
    ...(readerVersion !== undefined && { readerVersion }),
  })
  return {
    async stop() {
      await retrying.stop()
      await rebuilding.stop()
      await operations.stop()
      await dropping.stop()
      client?.close()
    },
  }
}
