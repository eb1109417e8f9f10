import { parseArgs } from 'node:util'
import type { ConnectionOptions } from '@daybook/local-daemon/connection'
import { readToolsets, type Toolset } from '@daybook/mcp/toolsets'

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
