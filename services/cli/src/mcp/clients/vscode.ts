import { type McpClient, pathOf, settingsFolder } from './client.ts'
import { httpHeaders, inEnvBraces, stdioEntry } from './entries.ts'

/**
 * VS Code reads `mcp.json` of the user's default profile and `.vscode/mcp.json` of the workspace. The servers are under `servers`; under
 * `mcpServers` it would ignore them without a word.
 * Source: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
 */
export const vscode: McpClient = {
  id: 'vscode',
  title: 'VS Code',
  format: 'json',
  section: 'servers',
  files: {
    user: (place) => settingsFolder(place, 'Code', 'User', 'mcp.json'),
    project: (place) => pathOf(place, place.folder, '.vscode', 'mcp.json'),
  },
  signs: (place) => [settingsFolder(place, 'Code', 'User')],
  programs: ['code'],
  reference: inEnvBraces,
  entry: (server) => {
    if (server.transport === 'http')
      return { type: 'http', url: server.url, headers: httpHeaders(server, inEnvBraces) }
    const entry = stdioEntry(server, inEnvBraces)
    return entry && { type: 'stdio', ...entry }
  },
  reload: 'Run "MCP: List Servers" in VS Code and start it there; VS Code asks once whether you trust it.',
}
