import { folderOption } from '@daybook/local-daemon/data-folder'
import { runProcess } from '@daybook/process/run-process'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import type { Daemon } from './start-daemon.ts'

/* `npm start` and `daybook start`: Daybook on this machine, until Ctrl-C. */

const startedAt = Date.now()

/** Output that does not go to a terminal ends in files and logs, where no way to the key must be. */
const isTerminal = process.stdout.isTTY === true

async function greeting(
  { url, consoleLink, graphiqlLink, apiKeyPlace }: Daemon,
  dataDir: string,
): Promise<string> {
  const folder = folderOption(dataDir)
  const opened = isTerminal ? await consoleLink() : null
  const link = isTerminal ? graphiqlLink() : null
  const graphiql = link === null ? `${url}/graphql` : `${link}   (this link works once, for 10 minutes)`
  return `
Daybook is ready at ${url} (after ${((Date.now() - startedAt) / 1000).toFixed(1)} s)

  Console    ${opened === null ? `npx daybook console${folder}` : `${opened}   (this link works once, for 5 minutes)`}
  GraphiQL   ${graphiql}
  API key    ${apiKeyPlace}

Try, in another terminal:

  npx daybook remember insight --key jwt-validation "Always validate JWT expiration before trusting claims"${folder}
  npx daybook search "token security"${folder}
  npx daybook status${folder}

To stop it: ${isTerminal ? 'Ctrl-C here, or ' : ''}npx daybook stop${folder}
`
}

await runProcess({
  name: 'daybook',
  title: 'Daybook',
  defaultPort: DEFAULT_PORTS.gateway,
  async start(config, parts) {
    // Loaded late: reading the code takes a moment, and the start should be announced first.
    const { startDaemon } = await import('./start-daemon.ts')
    console.log(await greeting(await startDaemon(config, parts), config.dataDir))
  },
})
