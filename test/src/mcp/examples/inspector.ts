import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { ToolAnswer } from '@daybook/gateway/testing/mcp-examples'
import { HANGS_MS } from '../../support/child-process.ts'
import { DAYBOOK_MCP } from '../stdio-client.ts'
import type { DaemonAt, Way } from './way.ts'

/** Pinned: a newer one may ask for more. npx downloads it once. */
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
/** Starting npx, the inspector and a server takes some 3 s. */
const TIMEOUT_MS = HANGS_MS

/** The inspector's command line as a client. */
export function inspectorOver(
  transport: 'HTTP' | 'stdio',
  { url, key, dataDir }: DaemonAt,
): Pick<Way, 'list' | 'call'> {
  const target =
    transport === 'HTTP'
      ? [`${url}/mcp?toolsets=all`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]
      : [DAYBOOK_MCP.command, ...DAYBOOK_MCP.args, '--data-dir', dataDir, '--toolsets', 'all']
  // What follows `--method` belongs to the inspector, also after a command with options.
  const ask = (...args: readonly string[]) => inspect([...target, ...args])
  return {
    async list() {
      const { tools } = (await ask('--method', 'tools/list')) as { tools: readonly { name: string }[] }
      return tools.map(({ name }) => name)
    },
    call: async (name, given) =>
      (await ask(
        '--method',
        'tools/call',
        '--tool-name',
        name,
        '--tool-args-json',
        JSON.stringify(given),
      )) as ToolAnswer,
  }
}

/** @throws Error with all that it said, if it printed no JSON */
function inspect(args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(
      'npx',
      ['--yes', INSPECTOR, '--cli', ...args],
      // Its folder decides nothing, and its settings are not a person's.
      { timeout: TIMEOUT_MS, cwd: tmpdir(), maxBuffer: 2 ** 24 },
      // It ends with an error where a tool does; the result says so.
      (_, stdout, stderr) => {
        try {
          resolve(JSON.parse(stdout))
        } catch {
          reject(new Error(`the inspector said: ${stdout.slice(0, 1_000)}${stderr.slice(0, 1_000)}`))
        }
      },
    )
  })
}
