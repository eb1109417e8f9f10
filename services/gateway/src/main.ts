import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServerAfter } from '@daybook/process/open-database'
import { openEmbedders } from '@daybook/process/open-embedders'
import { openMetrics } from '@daybook/process/open-metrics'
import { openWriter } from '@daybook/process/open-writer'
import { runProcess } from '@daybook/process/run-process'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { ensureDefaultKey } from './authenticate.ts'
import { serveGateway } from './start.ts'

/* `npm run start:gateway`: only the API; projectors run as separate processes. Run as many as you like. */

await runProcess({
  name: 'gateway',
  title: 'The gateway',
  defaultPort: DEFAULT_PORTS.gateway,
  async start(config, parts) {
    const embedders = openEmbedders(config, parts)
    const { db, done: defaultKey } = await openDatabaseServerAfter(
      (owner) => ensureDefaultKey(owner, config),
      config,
      parts,
    )
    const bus = await openBus(config, parts)
    const signal = createPositionSignal()
    const metrics = openMetrics('gateway', db, config, parts)
    embedders.countIn?.(metrics)
    await embedders.ready()
    const { writer, homeOf } = openWriter(config, { db, bus, metrics }, parts)
    const shared = { db, bus, writer, homeOf, signal, metrics, embedders, activity: parts.activity }
    const gateway = await serveGateway(config, shared, parts)
    console.log(
      `The gateway is ready at ${gateway.url}; its key of the project "default" is ${defaultKey.place}`,
    )
  },
})
