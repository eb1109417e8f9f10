import { inHome, type McpClient, pathOf } from './client.ts'
import { httpHeaders, inEnvBraces, stdioEntry } from './entries.ts'

/**
 * Cursor reads `~/.cursor/mcp.json` and, beside it, `.cursor/mcp.json` of the project. It expands `${env:NAME}`.
 * Source: https://cursor.com/docs/context/mcp ("Using mcp.json", "Config interpolation").
 */
export const cursor: McpClient = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  section: 'mcpServers',
  files: {
    user: (place) => inHome(place, '.cursor', 'mcp.json'),
    project: (place) => pathOf(place, place.folder, '.cursor', 'mcp.json'),
  },
  signs: (place) => [inHome(place, '.cursor')],
  programs: ['cursor', 'cursor-agent'],
  reference: inEnvBraces,
  entry: (server) =>
    server.transport === 'http'
      ? { url: server.url, headers: httpHeaders(server, inEnvBraces) }
      : stdioEntry(server, inEnvBraces),
  reload: 'Cursor reads it at once; Settings, MCP shows the server.',
}
