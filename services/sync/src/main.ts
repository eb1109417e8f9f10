import { openBus } from '@daybook/process/open-bus'
import { openDatabaseServer } from '@daybook/process/open-database'
import { openMetrics } from '@daybook/process/open-metrics'
import { openWriter } from '@daybook/process/open-writer'
import { runProcess, serveProbes } from '@daybook/process/run-process'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { startSync } from '@daybook/sync/follower/start-sync'

/*
 * `npm run start:sync`: follows projects whose home is another Daybook. One process is enough; several share the projects.
 * Only for a cluster that follows; a daemon does it itself.
 */

await runProcess({
  name: 'sync',
  title: 'The sync service',
  defaultPort: DEFAULT_PORTS.sync,
  async start(config, parts) {
    const db = await openDatabaseServer(config, parts)
    const bus = await openBus(config, parts)
    const metrics = openMetrics('sync', db, config, parts)
    const { onCommitted, homeOf } = openWriter(config, { db, bus, metrics }, parts)
    const sync = startSync({ db, homeOf, onCommitted, logger: parts.logger, metrics })
    parts.shutdown.add(sync.stop, { part: 'the copies of followed projects' })
    const url = await serveProbes(config, { db, bus, metrics }, parts)
    console.log(`The sync service is ready; its probes and metrics are at ${url}`)
  },
})
