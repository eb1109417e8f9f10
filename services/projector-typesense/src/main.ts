import { DaybookError } from '@daybook/memory/errors'
import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServer } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { openQueueWorkers } from '@daybook/process/open-queue-workers'
import { runProcess } from '@daybook/process/run-process'
import { serveProbes } from '@daybook/process/serve-probes'
import { createPositionSignal } from '@daybook/projection/positions/position-signal'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { startTypesenseProjector } from './start.ts'

/* `npm run start:projector-typesense`: writes the Typesense read model. Run as many as you like. */

await runProcess({
  name: 'projector-typesense',
  title: 'The Typesense projector',
  defaultPort: DEFAULT_PORTS['projector-typesense'],
  async start(config, parts) {
    const { typesense } = config
    if (typesense === undefined)
      throw new DaybookError(
        'CONFIGURATION',
        'TYPESENSE_URL is not set: say where Typesense is, with its key in TYPESENSE_API_KEY.',
      )
    const embedders = openEmbedders(config, parts)
    const db = await openDatabaseServer(config, parts)
    const bus = await openBus(config, parts)
    await embedders.ready()
    const signal = createPositionSignal()
    const { logger } = parts
    const metrics = openMetrics('projector-typesense', db, parts)
    const workers = openQueueWorkers({ db, embedders, metrics }, parts)
    const projector = await startTypesenseProjector({
      db,
      bus,
      signal,
      logger,
      model: embedders.preferred,
      workers,
      typesense,
      metrics,
      selfCheckMs: config.selfCheckMs,
    })
    parts.shutdown.add(projector.stop, { part: 'the projector' })
    const url = await serveProbes(config, { db, metrics }, parts)
    console.log(`The Typesense projector is at work; its probes and metrics are at ${url}`)
  },
})
