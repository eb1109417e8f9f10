import { KEY_VARIABLE } from '../server.ts'
import { inHome, type McpClient, pathOf } from './client.ts'

/**
 * Codex (command line, app and editor extension) reads `config.toml` in `CODEX_HOME`, by default `~/.codex`, and `.codex/config.toml` of
 * a project that the user trusts. It takes the names of variables, never a key: `env_vars` are passed on to a server that it starts.
 * Source: https://developers.openai.com/codex/mcp, and docs/config.md ("MCP integration") of github.com/openai/codex
 */
export const codex: McpClient = {
  id: 'codex',
  title: 'Codex',
  format: 'toml',
  section: 'mcp_servers',
  files: {
    user: (place) => pathOf(place, place.environment['CODEX_HOME'] || inHome(place, '.codex'), 'config.toml'),
    project: (place) => pathOf(place, place.folder, '.codex', 'config.toml'),
  },
  signs: (place) => [place.environment['CODEX_HOME'] || inHome(place, '.codex')],
  programs: ['codex'],
  reference: (variable) => variable,
  entry: (server) => {
    if (server.transport === 'http') {
      const headers = Object.keys(server.headers).length === 0 ? {} : { http_headers: server.headers }
      return { url: server.url, bearer_token_env_var: KEY_VARIABLE, ...headers }
    }
    const { command, args, needsKey } = server
    return { command, args: [...args], ...(needsKey && { env_vars: [KEY_VARIABLE] }) }
  },
  reload: 'Start Codex again; /mcp shows the server.',
}
