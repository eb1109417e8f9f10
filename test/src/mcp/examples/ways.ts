import { connectMcp, REVISIONS } from '@daybook/gateway/testing/mcp-client'
import { type CallTool, callExamples, prepareExamples } from '@daybook/gateway/testing/mcp-examples'
import { TOOLS } from '@daybook/mcp/tools/index'
import type { Tool } from '@daybook/mcp/tools/tool'
import type { Client } from '@modelcontextprotocol/client'
import { connectStdio } from '../stdio-client.ts'
import { inspectorOver } from './inspector.ts'
import type { DaemonAt, Way } from './way.ts'

const TRANSPORTS = ['HTTP', 'stdio'] as const

/** The SDK's own client, over both transports in both revisions. */
export const SDK_WAYS: readonly ((at: DaemonAt) => Promise<Way>)[] = TRANSPORTS.flatMap((transport) =>
  REVISIONS.map(({ revision, mode }) => async ({ url, key, dataDir }: DaemonAt) => {
    const client: Client =
      transport === 'HTTP'
        ? await connectMcp(url, key, { mode })
        : await connectStdio(dataDir, { mode: mode === 'legacy' ? mode : { pin: mode.pin } })
    return {
      name: `the SDK’s client over ${transport}, ${revision}`,
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: ((name, given) => client.callTool({ name, arguments: given })) as CallTool,
      close: () => client.close(),
    }
  }),
)

/** The inspector's command line over both transports. Each call is a process of its own. */
export const INSPECTOR_WAYS: readonly ((at: DaemonAt) => Promise<Way>)[] = TRANSPORTS.map(
  (transport) => async (at: DaemonAt) => ({
    name: `the inspector over ${transport}`,
    ...inspectorOver(transport, at),
    close: async () => {},
  }),
)

/** Lists all tools and calls the example of each. @returns what is wrong, in words */
export async function tryWay({ list, call }: Way, tools: readonly Tool[] = TOOLS): Promise<string[]> {
  const expected = TOOLS.map(({ name }) => name).join(', ')
  const listed = (await list()).join(', ')
  const faults = await callExamples(call, await prepareExamples(call), tools)
  return listed === expected ? faults : [`it lists ${listed} instead of ${expected}`, ...faults]
}
