import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The revisions that are served, as the SDK's client asks for them. */
export const REVISIONS = [
  { revision: '2026-07-28', mode: { pin: '2026-07-28' } },
  { revision: '2025-11-25', mode: 'legacy' },
] as const

/** The SDK's own client, connected to a gateway over streamable HTTP. */
export async function connectMcp(
  url: string,
  key: string,
  {
    mode = REVISIONS[0].mode,
    name = 'test-agent',
    toolsets = 'all',
    fetch = globalThis.fetch,
  }: {
    mode?: (typeof REVISIONS)[number]['mode']
    name?: string
    toolsets?: string | null
    fetch?: typeof globalThis.fetch
  } = {},
): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode } })
  const query = toolsets === null ? '' : `?toolsets=${toolsets}`
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
      fetch,
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  return client
}

/** A message as clients send it that have null where nothing is given. */
export function withNulls(message: object): object {
  const { method, params } = message as { readonly method?: string; readonly params?: object }
  if (method === 'tools/list') return { ...message, params: null }
  return method === 'tools/call' ? { ...message, params: { ...params, arguments: null } } : message
}
