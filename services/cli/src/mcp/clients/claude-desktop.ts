import { type McpClient, settingsFolder } from './client.ts'
import { stdioEntry } from './entries.ts'

/**
 * Claude Desktop starts the servers of this file itself and reaches remote ones only as connectors, which its settings manage. It
 * expands no variables. There is a Windows and a macOS version; the path on Linux is that of the community's builds.
 * Source: https://modelcontextprotocol.io/docs/develop/connect-local-servers
 */
export const claudeDesktop: McpClient = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  section: 'mcpServers',
  files: { user: (place) => settingsFolder(place, 'Claude', 'claude_desktop_config.json') },
  signs: (place) => [settingsFolder(place, 'Claude')],
  programs: [],
  reference: null,
  entry: (server) => (server.transport === 'http' ? null : stdioEntry(server, null)),
  reload: 'Quit Claude Desktop, not only its window, and start it again.',
}
