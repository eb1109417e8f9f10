import { posix, win32 } from 'node:path'
import type { Environment } from '../settings.ts'
import type { Entry, FormatName } from './config/json-format.ts'

/**
 * `command`, `args` and `env`, as almost every client writes a server that it starts.
 * @returns null if the server needs the key and the client cannot name a variable
 */
function stdioEntry(
  { command, args, needsKey }: StdioServer,
  reference: McpClient['reference'],
): Entry | null {
  if (!needsKey) return { command, args: [...args] }
  if (reference === null) return null
  return { command, args: [...args], env: { [KEY_VARIABLE]: reference(KEY_VARIABLE) } }
}

/** The headers of a server that is reached over HTTP, with the key by the name of its variable. */
const httpHeaders = (
  { headers }: HttpServer,
  reference: (variable: string) => string,
): Record<string, string> => ({ Authorization: `Bearer ${reference(KEY_VARIABLE)}`, ...headers })

/** `${NAME}`, as shells write it. */
const inBraces = (variable: string): string => `\${${variable}}`

/** `${env:NAME}`, as VS Code and its relatives write it. */
const inEnvBraces = (variable: string): string => `\${env:${variable}}`

const FILE = 'cline_mcp_settings.json'

/** Without a type, Cline takes an address for SSE. */
function plainEntry(server: Server): Entry | null {
  if (server.transport === 'http')
    return { type: 'streamableHttp', url: server.url, headers: httpHeaders(server, inEnvBraces) }
  const stdio = stdioEntry(server, inEnvBraces)
  return stdio && { type: 'stdio', ...stdio }
}

const COMMON = {
  format: 'json',
  section: 'mcpServers',
  reference: inEnvBraces,
  entry: plainEntry,
  reload: 'Cline reads it at once; the MCP Servers icon shows the server.',
} as const

/**
 * Cline's extension for VS Code keeps its servers in the extension's own storage, for all projects. It expands `${env:NAME}`
 * (github.com/cline/cline/pull/8079).
 * Source: https://docs.cline.bot/mcp/configuring-mcp-servers
 */
const cline: McpClient = {
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
const clineCli: McpClient = {
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

const reference = (variable: string) => `$${variable}`

/**
 * Gemini CLI reads `~/.gemini/settings.json` and, over it, `.gemini/settings.json` of the project. `httpUrl` is streamable HTTP (`url` would be
 * SSE). It expands `$NAME`, and keeps variables whose names sound secret from servers unless `env` names them.
 * Source: docs/tools/mcp-server.md and docs/reference/configuration.md of github.com/google-gemini/gemini-cli
 */
const gemini: McpClient = {
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

/**
 * Claude Code keeps servers for all projects in `~/.claude.json`, or in the folder of `CLAUDE_CONFIG_DIR`, and shared ones in
 * `.mcp.json`; it expands `${NAME}` in both.
 * Source: https://code.claude.com/docs/en/mcp ("MCP installation scopes", "Environment variable expansion"), and
 * `McpStdioServerConfig` and `McpHttpServerConfig` in the types of the package @anthropic-ai/claude-agent-sdk 0.3.330.
 */
const claudeCode: McpClient = {
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

/**
 * Claude Desktop starts the servers of this file itself and reaches remote ones only as connectors, which its settings manage. It
 * expands no variables. There is a Windows and a macOS version; the path on Linux is that of the community's builds.
 * Source: https://modelcontextprotocol.io/docs/develop/connect-local-servers
 */
const claudeDesktop: McpClient = {
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

/**
 * Cursor reads `~/.cursor/mcp.json` and, beside it, `.cursor/mcp.json` of the project. It expands `${env:NAME}`.
 * Source: https://cursor.com/docs/context/mcp ("Using mcp.json", "Config interpolation").
 */
const cursor: McpClient = {
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

/**
 * VS Code reads `mcp.json` of the user's default profile and `.vscode/mcp.json` of the workspace. The servers are under `servers`; under
 * `mcpServers` it would ignore them without a word.
 * Source: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
 */
const vscode: McpClient = {
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

/**
 * Codex (command line, app and editor extension) reads `config.toml` in `CODEX_HOME`, by default `~/.codex`, and `.codex/config.toml` of
 * a project that the user trusts. It takes the names of variables, never a key: `env_vars` are passed on to a server that it starts.
 * Source: https://developers.openai.com/codex/mcp, and docs/config.md ("MCP integration") of github.com/openai/codex
 */
const codex: McpClient = {
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

/**
 * Windsurf (now Devin Desktop) reads one file for all projects. It calls the address `serverUrl` and expands `${env:NAME}`.
 * Source: https://docs.devin.ai/desktop/cascade/mcp ("mcp_config.json", "Config interpolation")
 */
const windsurf: McpClient = {
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

/** On macOS Zed keeps its settings where it does on Linux. */
const folder = (place: Machine): string =>
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
const zed: McpClient = {
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

/** The clients that `daybook mcp install` knows. A new one is a file beside this and a line here. */
export const MCP_CLIENTS: readonly McpClient[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  gemini,
  windsurf,
  zed,
  cline,
  clineCli,
]

/** Where configurations are looked for. Tests name another home and another system. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** The user's home folder. */
  readonly home: string
  readonly environment: Environment
  /** The folder of the scope `project`. */
  readonly folder: string
}

/** Whom a configuration is for: all work of this user, or whoever works in one folder. */
export const SCOPES = ['user', 'project'] as const

export type Scope = (typeof SCOPES)[number]

/** A program that speaks MCP, and how it wants to be told of a server. */
export interface McpClient {
  /** What `--client` takes. */
  readonly id: string
  /** Its own name. */
  readonly title: string
  readonly format: FormatName
  /** The object or table of its configuration that holds the servers by name. */
  readonly section: string
  /** Its configuration file of each scope that it has. */
  readonly files: Readonly<Partial<Record<Scope, (place: Machine) => string>>>
  /** Folders or files that exist only where it is installed. */
  readonly signs: (place: Machine) => readonly string[]
  /** Names under which it stands in `PATH`. */
  readonly programs: readonly string[]
  /** How its configuration names an environment variable; null if it cannot, so that it can be given no key. */
  readonly reference: ((variable: string) => string) | null
  /** The entry for a server that Daybook can offer; null if this client cannot be told so. */
  readonly entry: (server: Server) => Entry | null
  /** What makes it read its configuration again. */
  readonly reload: string
}

/** Joins a path as the system of the place does. */
export const pathOf = ({ platform }: Pick<Machine, 'platform'>, ...parts: readonly string[]): string =>
  (platform === 'win32' ? win32 : posix).join(...parts)

/** A path below the user's home. */
const inHome = (place: Machine, ...parts: readonly string[]): string => pathOf(place, place.home, ...parts)

/** Where programs with a window keep their settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
function settingsFolder(place: Machine, ...parts: readonly string[]): string {
  const { platform, environment } = place
  if (platform === 'win32')
    return pathOf(place, environment['APPDATA'] || inHome(place, 'AppData', 'Roaming'), ...parts)
  if (platform === 'darwin') return inHome(place, 'Library', 'Application Support', ...parts)
  return pathOf(place, environment['XDG_CONFIG_HOME'] || inHome(place, '.config'), ...parts)
}

/** The environment variable that holds a remote daemon's key. Configurations name it; none holds a key. */
export const KEY_VARIABLE = 'DAYBOOK_API_KEY'

/** Daybook as a program that the client starts and speaks with over its standard input and output. */
interface StdioServer {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Whether the client must pass it `DAYBOOK_API_KEY`, because no data folder holds the key. */
  readonly needsKey: boolean
}

/** Daybook as an address that the client sends HTTP to. Its key is always in `DAYBOOK_API_KEY`. */
interface HttpServer {
  readonly transport: 'http'
  readonly url: string
  /** Beside `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

/** What a client is told of Daybook. */
export type Server = StdioServer | HttpServer
