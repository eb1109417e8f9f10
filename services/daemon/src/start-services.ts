import type { Embedders } from '@daybook/embeddings/embedders'
import { openEngines } from '@daybook/engines/engines'
import { type Gateway, serveGateway } from '@daybook/gateway/start'
import type { Database } from '@daybook/postgres/connect'
import { openBus } from '@daybook/process/open-bus'
import { openQueueWorkers } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { openWriter } from '@daybook/process/open-writer'
import type { ProcessParts } from '@daybook/process/run-process'
import { startEngine } from '@daybook/projection/engine/engine'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { startReindex } from '@daybook/reindex/start'
import type { Config } from '@daybook/runtime/config'
import type { WithoutTerms } from '@daybook/search/ranking/ablation'
import { startSync } from '@daybook/sync/follower/start-sync'

/** What the services need beside their settings. */
export interface ServicesOptions {
  /** The database, already migrated. */
  readonly db: Database
  readonly embedders: Embedders
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
}

/** Starts a daemon's services on the parts that it has opened: bus ▶ writer ▶ sync ▶ projectors ▶ reindex ▶ gateway. */
export async function startServices(
  config: Config,
  { db, embedders, without }: ServicesOptions,
  parts: ProcessParts,
): Promise<Gateway> {
  const { logger, shutdown, activity } = parts
  const bus = await openBus(config, parts)
  const signal = createPositionSignal()
  const metrics = openMetrics('daybook', db, config, parts)
  embedders.countIn?.(metrics)
  const { writer, onCommitted, homeOf } = openWriter(
    config,
    { db, bus, metrics, onBranched: () => sync.written() },
    parts,
  )
  const sync = startSync({ db, homeOf, onCommitted, logger, metrics, activity })
  shutdown.add(sync.stop, { part: 'the copies of followed projects' })
  const shared = { db, bus, writer, homeOf, sync, signal, embedders, metrics, activity }

  const workers = openQueueWorkers(shared, parts)
  const applying = { db, bus, signal, logger, metrics, workers, activity, model: embedders.preferred }
  const { selfCheckMs } = config
  const engines = openEngines(config)
  for (const engine of engines) {
    shutdown.add(engine.close)
    const projector = await startEngine(engine, { ...applying, selfCheckMs })
    shutdown.add(projector.stop, { part: `the ${engine.name} projector` })
  }
  const reindex = startReindex({
    ...applying,
    writer,
    embedders,
    engines,
    keepOldMs: config.keepGenerationMs,
  })
  shutdown.add(reindex.stop, { part: 'the operations' })
  return serveGateway(config, { ...shared, without }, parts)
}
