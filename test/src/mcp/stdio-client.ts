import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** The repository. */
const ROOT = join(import.meta.dirname, '../../..')

/** How `daybook mcp` is run from the repository. */
export const DAYBOOK_MCP = {
  command: process.execPath,
  args: [join(ROOT, 'services/cli/bin/daybook.mjs'), 'mcp'],
} as const

/** What a daemon that is started for a test runs with: no model, any port. */
export const TEST_ENVIRONMENT = { DAYBOOK_EMBEDDER: 'none', DAYBOOK_PORT: '0', LOG_LEVEL: 'warn' } as const

/** The SDK's own client of a `daybook mcp` of its own. */
export async function connectStdio(
  dataDir: string,
  {
    name = 'test-agent',
    mode = 'legacy',
    toolsets = 'all',
    environment = {},
    reach = ['--data-dir', dataDir],
  }: {
    name?: string
    mode?: 'legacy' | { pin: string }
    toolsets?: string
    environment?: Readonly<Record<string, string>>
    /** The options that name the daemon. Default: the one of the folder, which is started if none runs. */
    reach?: readonly string[]
  } = {},
): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(
    new StdioClientTransport({
      command: DAYBOOK_MCP.command,
      args: [...DAYBOOK_MCP.args, ...reach, '--toolsets', toolsets],
      env: { PATH: process.env['PATH'] ?? '', HOME: dataDir, ...TEST_ENVIRONMENT, ...environment },
      cwd: dataDir,
      stderr: 'pipe',
    }),
  )
  return client
}
