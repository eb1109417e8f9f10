import { connectOrStart } from '@daybook/local-daemon/ensure-daemon'
import { detectContext } from '@daybook/runtime/detect-context'
import { localDaybook } from './local-daybook.ts'
import { type McpArguments, readArguments, serve } from './serve.ts'

/* `daybook mcp`: Daybook for an agent over stdio. Standard output belongs to the protocol; people read standard error. */

const log = (line: string) => void process.stderr.write(`daybook mcp: ${line}\n`)

function argumentsOrExit(): McpArguments {
  try {
    return readArguments(process.argv.slice(2), process.env)
  } catch (error) {
    log(`${(error as Error).message}\ndaybook mcp --help shows the options.`)
    process.exit(2)
  }
}

const { connection, toolsets, context: explicit } = argumentsOrExit()
const context = await detectContext({ explicit, folder: process.cwd(), environment: process.env })
const daybook = localDaybook(() =>
  connectOrStart(connection, process.env, () => log('starting the daemon of this machine')),
)
serve({ daybook, toolsets, context, log })
