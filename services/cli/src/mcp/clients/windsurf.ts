import { inHome, type McpClient } from './client.ts'
import { httpHeaders, inEnvBraces, stdioEntry } from './entries.ts'

/**
 * Windsurf (now Devin Desktop) reads one file for all projects. It calls the address `serverUrl` and expands `${env:NAME}`.
 * Source: https://docs.devin.ai/desktop/cascade/mcp ("mcp_config.json", "Config interpolation")
 */
export const windsurf: McpClient = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  section: 'mcpServers',
  files: { user: (place) => inHome(place, '.codeium', 'windsurf', 'mcp_config.json') },
  signs: (place) => [inHome(place, '.codeium', 'windsurf')],
  programs: ['windsurf'],
  reference: inEnvBraces,
  entry: (server) =>
    server.transport === 'http'
      ? { serverUrl: server.url, headers: httpHeaders(server, inEnvBraces) }
      : stdioEntry(server, inEnvBraces),
  reload: 'Press Refresh under MCP servers in Cascade.',
}
