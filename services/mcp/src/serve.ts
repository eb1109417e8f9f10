import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { ConnectionOptions } from '@daybook/local-daemon/connection'
import { resourcesOf } from '@daybook/mcp/changes'
import { jsonIn, withoutNulls } from '@daybook/mcp/json-schema'
import { createReceipts } from '@daybook/mcp/receipts'
import { takeSubscriptions } from '@daybook/mcp/resources/index'
import { createMcpServer } from '@daybook/mcp/server'
import { readToolsets, type Toolset } from '@daybook/mcp/toolsets'
import { readLines } from '@daybook/runtime/read-lines'
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { LocalDaybook } from './local-daybook.ts'

/** What is served. */
interface Served {
  readonly daybook: LocalDaybook
  readonly toolsets: readonly Toolset[]
  readonly context: string | null
  /** A line for whoever reads the client's log. */
  readonly log: (line: string) => void
}

/** In the revision 2026-07-28 the SDK knows what the client listens to. */
const everything = () => true

/**
 * Serves MCP on this process's standard input and output, until the client closes them: the revision 2026-07-28, and those of
 * 2025 with subscriptions. The journal is followed from the first subscription on.
 */
export function serve({ daybook, toolsets, context, log }: Served): void {
  const receipts = createReceipts()
  const ended = new AbortController()
  let server: McpServer | null = null
  let isWanted: (uri: string) => boolean = everything
  let following = false

  const follow = async () => {
    if (following) return
    following = true
    try {
      // In the revision 2026-07-28 the SDK knows what the client listens to.
      for await (const change of daybook.follow(ended.signal))
        for (const uri of resourcesOf(change))
          if (isWanted(uri)) await server?.server.sendResourceUpdated({ uri })
    } catch (error) {
      log(`Changes are no longer told: ${(error as Error).message}`)
    } finally {
      following = false
    }
  }
  const transport = new StdioServerTransport(Readable.from(readMessages(process.stdin, log)))
  serveStdio(
    ({ era }) => {
      server = createMcpServer({
        daybook,
        receipts,
        context,
        toolsets,
        subscribable: true,
        onError: (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      })
      if (era === 'legacy') isWanted = takeSubscriptions(server, () => void follow())
      return server
    },
    {
      transport: tap(transport, (method) => {
        if (method === 'subscriptions/listen') void follow()
      }),
      onerror: (error) => log(error.message),
    },
  )
  // Whatever is still under way has nobody to tell.
  process.stdin.once('close', () => {
    ended.abort()
    process.exit(0)
  })
}

/** The messages of a client as the protocol wants them (`withoutNulls`), each a line. */
async function* readMessages(
  input: AsyncIterable<Uint8Array>,
  log: Served['log'],
): AsyncGenerator<Buffer, void, undefined> {
  for await (const { text, problem } of readLines(input)) {
    if (text === null) log(`A message ${problem}, and is left out`)
    else {
      const message = jsonIn(text)
      yield Buffer.from(`${message === text ? text : JSON.stringify(withoutNulls(message))}\n`)
    }
  }
}

/* oxlint-disable unicorn/prefer-add-event-listener -- a transport of MCP is no EventTarget */

/** The same transport, which also tells of the method of each message that comes in. */
function tap(transport: Transport, onMethod: (method: string) => void): Transport {
  return {
    start: () => transport.start(),
    send: (message: JSONRPCMessage, options) => transport.send(message, options),
    close: () => transport.close(),
    set onclose(handler: Transport['onclose']) {
      if (handler !== undefined) transport.onclose = handler
    },
    set onerror(handler: Transport['onerror']) {
      if (handler !== undefined) transport.onerror = handler
    },
    set onmessage(handler: Transport['onmessage']) {
      transport.onmessage = (message, extra) => {
        if ('method' in message) onMethod(message.method)
        handler?.(message, extra)
      }
    },
  }
}

/** What an agent's configuration may say. */
export interface McpArguments {
  readonly connection: ConnectionOptions
  readonly toolsets: readonly Toolset[]
  /** The context; undefined: that of the folder. */
  readonly context: string | undefined
}

/** What the command line passes on of `daybook mcp`; its help describes them. */
const MCP_OPTIONS = {
  url: { type: 'string' },
  'data-dir': { type: 'string' },
  project: { type: 'string' },
  toolsets: { type: 'string' },
  context: { type: 'string' },
} as const

/**
 * Reads the arguments; what they do not say the environment says.
 * @throws TypeError for an unknown option; ApiError VALIDATION for an unknown toolset
 */
export function readArguments(
  given: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): McpArguments {
  const { values } = parseArgs({ args: [...given], options: MCP_OPTIONS, strict: true })
  const { url, project, context, toolsets, 'data-dir': dataDir } = values
  return {
    connection: {
      ...(url !== undefined && { url }),
      ...(dataDir !== undefined && { dataDir }),
      ...(project !== undefined && { project }),
    },
    toolsets: readToolsets(toolsets ?? (environment['DAYBOOK_MCP_TOOLSETS'] || 'core')),
    context,
  }
}
