import { DaybookError } from '@daybook/memory/errors'
import { readConfig } from '@daybook/runtime/config'
import { createLogger } from '@daybook/runtime/logger'
import { startDaemon } from './start-daemon.ts'

/* `npm start`: Daybook on this machine, until Ctrl-C. */

const startedAt = Date.now()
const progress = (message: string) => console.log(`  ${message}`)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = createLogger('daybook', config.logLevel)
  console.log('Daybook is starting …')
  const daemon = await startDaemon(config, logger, progress)
  console.log(greeting(daemon))

  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    // A second Ctrl-C means it: whatever is committed stays, so nothing acknowledged is lost.
    if (stopping) process.exit(1)
    stopping = true
    console.log(`\n${signal}: finishing what was accepted …`)
    daemon.stop().then(
      () => {
        console.log('Daybook has stopped.')
        process.exit(0)
      },
      (error: unknown) => {
        logger.error({ error }, 'Daybook could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

function greeting({ url, apiKey, apiKeyPath }: { url: string; apiKey: string; apiKeyPath: string }): string {
  return `
Daybook is ready at ${url} (after ${((Date.now() - startedAt) / 1000).toFixed(1)} s)

  GraphiQL   ${url}/graphql#key=${apiKey}
  API key    in ${apiKeyPath}

Try, in another terminal:

  npx daybook remember insight --key jwt-validation "Always validate JWT expiration before trusting claims"
  npx daybook search "token security"
  npx daybook status

Ctrl-C stops it.
`
}

main().catch((error: unknown) => {
  if (error instanceof DaybookError) console.error(`\nDaybook cannot start: ${error.message}`)
  else console.error('\nDaybook cannot start:', error)
  process.exit(1)
})
