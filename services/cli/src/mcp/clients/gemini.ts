import { inHome, type McpClient, pathOf } from './client.ts'
import { httpHeaders, stdioEntry } from './entries.ts'

const reference = (variable: string) => `$${variable}`

/**
 * Gemini CLI reads `~/.gemini/settings.json` and, over it, `.gemini/settings.json` of the project. `httpUrl` is streamable HTTP (`url` would be
 * SSE). It expands `$NAME`, and keeps variables whose names sound secret from servers unless `env` names them.
 * Source: docs/tools/mcp-server.md and docs/reference/configuration.md of github.com/google-gemini/gemini-cli
 */
export const gemini: McpClient = {
  id: 'gemini',
  title: 'Gemini CLI',
  format: 'json',
  section: 'mcpServers',
  files: {
    user: (place) => inHome(place, '.gemini', 'settings.json'),
    project: (place) => pathOf(place, place.folder, '.gemini', 'settings.json'),
  },
  signs: (place) => [inHome(place, '.gemini')],
  programs: ['gemini'],
  reference,
  entry: (server) =>
    server.transport === 'http'
      ? { httpUrl: server.url, headers: httpHeaders(server, reference) }
      : stdioEntry(server, reference),
  reload: 'Start Gemini CLI again; /mcp shows the server.',
}
