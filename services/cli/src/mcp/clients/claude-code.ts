import { inHome, type McpClient, pathOf } from './client.ts'
import { httpHeaders, inBraces, stdioEntry } from './entries.ts'

/**
 * Claude Code keeps servers for all projects in `~/.claude.json`, or in the folder of `CLAUDE_CONFIG_DIR`, and shared ones in
 * `.mcp.json`; it expands `${NAME}` in both.
 * Source: https://code.claude.com/docs/en/mcp ("MCP installation scopes", "Environment variable expansion"), and
 * `McpStdioServerConfig` and `McpHttpServerConfig` in the types of the package @anthropic-ai/claude-agent-sdk 0.3.330.
 */
export const claudeCode: McpClient = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  section: 'mcpServers',
  files: {
    user: (place) => pathOf(place, place.environment['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json'),
    project: (place) => pathOf(place, place.folder, '.mcp.json'),
  },
  signs: (place) => [
    inHome(place, '.claude.json'),
    place.environment['CLAUDE_CONFIG_DIR'] || inHome(place, '.claude'),
  ],
  programs: ['claude'],
  reference: inBraces,
  entry: (server) => {
    if (server.transport === 'http')
      return { type: 'http', url: server.url, headers: httpHeaders(server, inBraces) }
    const entry = stdioEntry(server, inBraces)
    return entry && { type: 'stdio', ...entry }
  },
  reload: 'Start a new session; /mcp shows the server.',
}
