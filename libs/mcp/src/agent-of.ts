import { safeLine } from '@daybook/memory/safe-text'
import { CLIENT_INFO_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server'

/** The longest name that Daybook keeps of an agent, in characters. */
const MOST = 255

/**
 * The agent that calls: the name that its client gave. In the revision 2026-07-28 each request has it, before that the
 * handshake had it; over stateless HTTP of that time nothing has.
 */
export function agentOf(server: McpServer, { mcpReq }: ServerContext): string | null {
  // The SDK's type of the envelope has no keys.
  const envelope = mcpReq.envelope as Readonly<Record<string, { readonly name?: string }>> | undefined
  const said = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.server.getClientVersion()?.name
  // A name that the API refuses would have every write refused, and no agent can change it.
  const name = safeLine(said ?? '')
    .slice(0, MOST)
    .toWellFormed()
  return name === '' ? null : name
}
