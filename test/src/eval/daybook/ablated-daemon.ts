import { startDaemon } from '@daybook/daemon/start-daemon'
import { runProcess } from '@daybook/process/run-process'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import type { RankingTerm } from '@daybook/search/ranking/ablation'

/*
 * A daemon that leaves out the terms of the ranking that its parent names, a message each time. The API does
 * not offer this: nobody wants a worse ranking, and a name in the API could never go away again.
 */

let without: ReadonlySet<RankingTerm> = new Set()

process.on('message', (terms: readonly RankingTerm[]) => {
  without = new Set(terms)
  process.send?.('changed')
})
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))

await runProcess({
  name: 'daybook',
  title: 'Daybook',
  defaultPort: DEFAULT_PORTS.gateway,
  async start(config, parts) {
    const { url } = await startDaemon(config, parts, () => without)
    console.log(`Daybook is ready at ${url}`)
  },
})
