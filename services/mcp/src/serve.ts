import { resourcesOf } from '@daybook/mcp/changes'
import { createReceipts } from '@daybook/mcp/receipts'
import { takeSubscriptions } from '@daybook/mcp/resources/subscriptions'
import { createMcpServer } from '@daybook/mcp/server'
import type { Toolset } from '@daybook/mcp/toolsets'
import type { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { LocalDaybook } from './local-daybook.ts'
import { tap } from './tap.ts'

/** What is served. */
export interface Served {
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
  const transport = new StdioServerTransport()
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
