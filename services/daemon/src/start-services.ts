import type { Embedders } from '@daybook/embeddings/embedders'
import { serveGateway } from '@daybook/gateway/serve'
import type { Gateway } from '@daybook/gateway/start'
import type { Database } from '@daybook/postgres/connect'
import { openBus } from '@daybook/process/open-bus'
import { openMetrics } from '@daybook/process/open-metrics'
import { openQueueWorkers } from '@daybook/process/open-queue-workers'
import type { ProcessParts } from '@daybook/process/process-parts'
import { createPositionSignal } from '@daybook/projection/positions/position-signal'
import { startPgvectorProjector } from '@daybook/projector-pgvector/start'
import { startTypesenseProjector } from '@daybook/projector-typesense/start'
import { startReindex } from '@daybook/reindex/start'
import { type Activity, ALWAYS_ACTIVE } from '@daybook/runtime/activity'
import type { Config } from '@daybook/runtime/config'

export interface ServicesOptions {
  /** Migrated. */
  readonly db: Database
  readonly embedders: Embedders
}

/** The services of a daemon, on what it has opened: bus ▶ projectors ▶ reindex ▶ gateway. */
export async function startServices(
  config: Config,
  { db, embedders }: ServicesOptions,
  parts: ProcessParts,
): Promise<Gateway> {
  const { logger, progress, shutdown } = parts
  const activity: Activity = parts.activity ?? ALWAYS_ACTIVE
  const bus = await openBus(config, parts)
  const signal = createPositionSignal()
  const metrics = openMetrics('daybook', db, parts)
  const shared = { db, bus, signal, embedders, metrics, activity }

  const workers = openQueueWorkers(shared, parts)
  const applying = { db, bus, signal, logger, metrics, workers, activity, model: embedders.preferred }
  const { selfCheckMs } = config
  const pgvector = await startPgvectorProjector({ ...applying, selfCheckMs })
  shutdown.add(pgvector.stop, { part: 'the pgvector projector' })
  if (config.typesense !== undefined) {
    progress('Applying events to the Typesense of TYPESENSE_URL too')
    const projector = await startTypesenseProjector({ ...applying, selfCheckMs, typesense: config.typesense })
    shutdown.add(projector.stop, { part: 'the Typesense projector' })
  }
  const reindex = startReindex({
    ...applying,
    embedders,
    oneConnection: config.databaseUrl === undefined,
    keepOldMs: config.keepGenerationMs,
    indexWorkers: config.indexWorkers,
    typesense: config.typesense,
  })
  shutdown.add(reindex.stop, { part: 'the operations' })
  return serveGateway(config, shared, parts)
}
