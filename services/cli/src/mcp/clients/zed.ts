import { inHome, type McpClient, type Place, pathOf, settingsFolder } from './client.ts'
import { stdioEntry } from './entries.ts'

/** On macOS Zed keeps its settings where it does on Linux. */
const folder = (place: Place): string =>
  place.platform === 'win32'
    ? settingsFolder(place, 'Zed')
    : place.platform === 'darwin'
      ? inHome(place, '.config', 'zed')
      : settingsFolder(place, 'zed')

/**
 * Zed reads `context_servers` of its `settings.json`, which is JSON with comments, and of `.zed/settings.json` in a project that the user
 * trusts. It takes headers as they are, so a key would stand in the file: no HTTP. Versions before December 2025 also want
 * `"source": "custom"`; later ones migrate that away.
 * Source: https://zed.dev/docs/ai/mcp and https://zed.dev/docs/configuring-zed ("Settings files")
 */
export const zed: McpClient = {
  id: 'zed',
  title: 'Zed',
  format: 'json',
  section: 'context_servers',
  files: {
    user: (place) => pathOf(place, folder(place), 'settings.json'),
    project: (place) => pathOf(place, place.folder, '.zed', 'settings.json'),
  },
  signs: (place) => [folder(place)],
  programs: ['zed', 'zeditor'],
  reference: null,
  entry: (server) => (server.transport === 'http' ? null : stdioEntry(server, null)),
  reload: 'Zed reads it at once; the Agent Panel’s settings show the server.',
}
