import { openEngines } from '@daybook/engines/engines'
import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServer } from '@daybook/process/open-database'
import { openEmbedders, openQueueWorkers } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { runProcess, serveProbes } from '@daybook/process/run-process'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { startReindex } from './start.ts'

/*
 * `npm run start:reindex`: rebuilds, verifies, replays and backfills. One process is enough; several share
 * the work.
 */

await runProcess({
  name: 'reindex',
  title: 'The reindex service',
  defaultPort: DEFAULT_PORTS.reindex,
  async start(config, parts) {
    const embedders = openEmbedders(config, parts)
    const db = await openDatabaseServer(config, parts)
    const bus = await openBus(config, parts)
    await embedders.ready()
    const signal = createPositionSignal()
    const metrics = openMetrics('reindex', db, config, parts)
    embedders.countIn?.(metrics)
    const engines = openEngines(config)
    for (const engine of engines) parts.shutdown.add(engine.close)
    const service = startReindex({
      db,
      bus,
      signal,
      logger: parts.logger,
      embedders,
      workers: openQueueWorkers({ db, embedders, metrics, activity: parts.activity }, parts),
      engines,
      keepOldMs: config.keepGenerationMs,
      activity: parts.activity,
    })
    parts.shutdown.add(service.stop, { part: 'the operations' })
    const url = await serveProbes(config, { db, bus, metrics }, parts)
    console.log(`The reindex service waits for work; its probes and metrics are at ${url}`)
  },
})
