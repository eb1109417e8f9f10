import { expect, test } from 'vitest'
import { type Machine, MCP_CLIENTS, type McpClient } from '../clients.ts'

const place = (platform: NodeJS.Platform, environment: Machine['environment'] = {}): Machine =>
  platform === 'win32'
    ? {
        platform,
        home: 'C:\\Users\\ada',
        folder: 'C:\\work',
        environment: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      }
    : { platform, home: platform === 'darwin' ? '/Users/ada' : '/home/ada', folder: '/work', environment }

const files = (where: Machine) =>
  Object.fromEntries(MCP_CLIENTS.map(({ id, files: { user } }) => [id, user?.(where)]))

test('knows where each client keeps its configuration, on each system', () => {
  expect(files(place('linux'))).toEqual({
    'claude-code': '/home/ada/.claude.json',
    'claude-desktop': '/home/ada/.config/Claude/claude_desktop_config.json',
    cursor: '/home/ada/.cursor/mcp.json',
    vscode: '/home/ada/.config/Code/User/mcp.json',
    codex: '/home/ada/.codex/config.toml',
    gemini: '/home/ada/.gemini/settings.json',
    windsurf: '/home/ada/.codeium/windsurf/mcp_config.json',
    zed: '/home/ada/.config/zed/settings.json',
    cline:
      '/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    'cline-cli': '/home/ada/.cline/data/settings/cline_mcp_settings.json',
  })
  expect(files(place('darwin'))).toMatchObject({
    'claude-desktop': '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    vscode: '/Users/ada/Library/Application Support/Code/User/mcp.json',
    zed: '/Users/ada/.config/zed/settings.json',
  })
  expect(files(place('win32'))).toMatchObject({
    'claude-code': 'C:\\Users\\ada\\.claude.json',
    'claude-desktop': 'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    vscode: 'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
    windsurf: 'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
    zed: 'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json',
  })
  const moved = {
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/x',
    XDG_CONFIG_HOME: '/g',
    CLINE_MCP_SETTINGS_PATH: '/l.json',
  }
  expect(files(place('linux', moved))).toMatchObject({
    'claude-code': '/c/.claude.json',
    codex: '/x/config.toml',
    zed: '/g/zed/settings.json',
    'cline-cli': '/l.json',
  })
})

test('tells each client of an address in its own words', () => {
  const server = {
    transport: 'http',
    url: 'http://127.0.0.1:4000/mcp',
    headers: { 'x-daybook-project': 'shop' },
  } as const
  const entryOf = (id: string) => (MCP_CLIENTS.find((client) => client.id === id) as McpClient).entry(server)
  const headers = (key: string) => ({ Authorization: `Bearer ${key}`, 'x-daybook-project': 'shop' })
  const { url } = server
  expect(entryOf('claude-code')).toEqual({ type: 'http', url, headers: headers('${DAYBOOK_API_KEY}') })
  expect(entryOf('cursor')).toEqual({ url, headers: headers('${env:DAYBOOK_API_KEY}') })
  expect(entryOf('vscode')).toEqual({ type: 'http', url, headers: headers('${env:DAYBOOK_API_KEY}') })
  expect(entryOf('gemini')).toEqual({ httpUrl: url, headers: headers('$DAYBOOK_API_KEY') })
  expect(entryOf('windsurf')).toEqual({ serverUrl: url, headers: headers('${env:DAYBOOK_API_KEY}') })
  expect(entryOf('cline')).toEqual({
    type: 'streamableHttp',
    url,
    headers: headers('${env:DAYBOOK_API_KEY}'),
  })
  expect(entryOf('codex')).toEqual({
    url,
    bearer_token_env_var: 'DAYBOOK_API_KEY',
    http_headers: { 'x-daybook-project': 'shop' },
  })
  expect(entryOf('claude-desktop')).toBeNull()
  expect(entryOf('zed')).toBeNull()
})
