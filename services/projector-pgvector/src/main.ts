import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServer } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { openQueueWorkers } from '@daybook/process/open-queue-workers'
import { runProcess } from '@daybook/process/run-process'
import { serveProbes } from '@daybook/process/serve-probes'
import { createPositionSignal } from '@daybook/projection/positions/position-signal'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { startPgvectorProjector } from './start.ts'

/* `npm run start:projector-pgvector`: writes the Postgres read model. Run as many as you like. */

await runProcess({
  name: 'projector-pgvector',
  title: 'The pgvector projector',
  defaultPort: DEFAULT_PORTS['projector-pgvector'],
  async start(config, parts) {
    const embedders = openEmbedders(config, parts)
    const db = await openDatabaseServer(config, parts)
    const bus = await openBus(config, parts)
    await embedders.ready()
    const signal = createPositionSignal()
    const { logger } = parts
    const { selfCheckMs } = config
    const metrics = openMetrics('projector-pgvector', db, parts)
    const workers = openQueueWorkers({ db, embedders, metrics }, parts)
    const model = embedders.preferred
    const projector = await startPgvectorProjector({
      db,
      bus,
      signal,
      logger,
      model,
      workers,
      metrics,
      selfCheckMs,
    })
    parts.shutdown.add(projector.stop, { part: 'the projector' })
    const url = await serveProbes(config, { db, metrics }, parts)
    console.log(`The pgvector projector is at work; its probes and metrics are at ${url}`)
  },
})
