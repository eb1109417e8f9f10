import type { Entry } from '../config/format.ts'
import type { Server } from '../server.ts'
import { inHome, type McpClient, pathOf, settingsFolder } from './client.ts'
import { httpHeaders, inEnvBraces, stdioEntry } from './entries.ts'

const FILE = 'cline_mcp_settings.json'

/** Without a type, Cline takes an address for SSE. */
function entry(server: Server): Entry | null {
  if (server.transport === 'http')
    return { type: 'streamableHttp', url: server.url, headers: httpHeaders(server, inEnvBraces) }
  const stdio = stdioEntry(server, inEnvBraces)
  return stdio && { type: 'stdio', ...stdio }
}

const COMMON = {
  format: 'json',
  section: 'mcpServers',
  reference: inEnvBraces,
  entry,
  reload: 'Cline reads it at once; the MCP Servers icon shows the server.',
} as const

/**
 * Cline's extension for VS Code keeps its servers in the extension's own storage, for all projects. It expands `${env:NAME}`
 * (github.com/cline/cline/pull/8079).
 * Source: https://docs.cline.bot/mcp/configuring-mcp-servers
 */
export const cline: McpClient = {
  ...COMMON,
  id: 'cline',
  title: 'Cline for VS Code',
  files: { user: (place) => pathOf(place, storage(place), 'settings', FILE) },
  signs: (place) => [storage(place)],
  programs: [],
}

const storage = (place: Parameters<McpClient['signs']>[0]) =>
  settingsFolder(place, 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev')

/**
 * Cline's command line has a file of its own, which `CLINE_MCP_SETTINGS_PATH` may name.
 * Source: https://docs.cline.bot/mcp/mcp-overview
 */
export const clineCli: McpClient = {
  ...COMMON,
  id: 'cline-cli',
  title: 'Cline CLI',
  files: {
    user: (place) =>
      place.environment['CLINE_MCP_SETTINGS_PATH'] || inHome(place, '.cline', 'data', 'settings', FILE),
  },
  signs: (place) => [inHome(place, '.cline')],
  programs: ['cline'],
}
