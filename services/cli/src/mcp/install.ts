import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { diffOf, fileOf, type Outcome, serversIn, snippetOf, withEntry } from './client-config.ts'
import {
  KEY_VARIABLE,
  type Machine,
  type McpClient,
  pathOf,
  SCOPES,
  type Scope,
  type Server,
} from './clients.ts'
import { backupsOf, ConfigError, changeConfig, FORMATS, isObject, readConfig } from './config/config-file.ts'
import type { Entry } from './config/json-format.ts'

/** What is asked for one client. */
export interface InstallRequest {
  readonly client: McpClient
  readonly scope: Scope
  readonly place: Machine
  /** The server's name in the configuration. */
  readonly name: string
  /** Whether to only say what would change. */
  readonly dryRun: boolean
  /** Whether to take a name that another server has. */
  readonly force: boolean
}

/**
 * Writes Daybook's server into a client's configuration. Fields that the user added to our entry stay; a second time nothing changes.
 * @throws ConfigError; the configuration is as it was then
 */
export async function install(wanted: InstallRequest, server: Server): Promise<Outcome> {
  const { client, scope, place, name, dryRun, force } = wanted
  const path = fileOf(client, scope, place)
  const offered = entryFor(client, server)
  let entry: Entry = offered
  let outcome: Outcome['outcome'] = 'unchanged'
  const edit = (text: string | null, file: string): string | null => {
    const present = serversIn(client, file, text ?? '').servers[name]
    if (present !== undefined && !isOurs(present) && !force) throw taken(client, name, file)
    entry = merged(present, offered)
    if (isDeepStrictEqual({ ...Object(present) }, entry)) {
      outcome = 'unchanged'
      return text
    }
    outcome = present === undefined ? 'added' : 'updated'
    return withEntry(client, { file, name, text: text ?? '' }, entry)
  }
  const change = dryRun ? dryRunOf(path, edit) : await changeConfig(path, edit, scope === 'project')
  const { file, text, after, backup } = change
  return {
    client: client.id,
    title: client.title,
    scope,
    file,
    outcome,
    backup,
    snippet: snippetOf(client, name, entry),
    diff: diffOf(file, text, after),
    reload: outcome === 'unchanged' ? null : client.reload,
  }
}

/** What a change would come to. */
function dryRunOf(path: string, edit: (text: string | null, file: string) => string | null) {
  const { file, text } = readConfig(path)
  return { file, text, after: edit(text, file), backup: null }
}

function entryFor(client: McpClient, server: Server): Entry {
  const entry = client.entry(server)
  if (entry !== null) return entry
  const inFolder = [
    'Put the key into a file  api-key  in a folder that only you may read, and name it:  --data-dir <folder>',
  ]
  throw server.transport === 'http'
    ? new ConfigError(
        'NOT_SUPPORTED',
        `The configuration of ${client.title} cannot name an environment variable for the key, and none is written into it: --http is not possible.`,
        ['Without --http it starts Daybook’s server itself', ...inFolder],
      )
    : new ConfigError(
        'NOT_SUPPORTED',
        `The configuration of ${client.title} cannot pass on ${KEY_VARIABLE}, which --url needs.`,
        inFolder,
      )
}

const taken = (client: McpClient, name: string, file: string) =>
  new ConfigError('ENTRY_TAKEN', `${client.title} has another server of the name "${name}" in ${file}.`, [
    'Take another name:     --name <name>',
    'Or replace the other:  --force   (daybook mcp uninstall brings it back)',
  ])

/**
 * Removes Daybook's server from a client's configuration, and nothing else. If only our entry was written since the copy that
 * the installation made, that copy comes back byte by byte. A server whose name was taken with `--force` comes back too.
 * @throws ConfigError; the configuration is as it was then
 */
export async function uninstall(wanted: InstallRequest): Promise<Outcome> {
  const { client, scope, place, name, dryRun, force } = wanted
  const path = fileOf(client, scope, place)
  let needless: readonly string[] = []
  const edit = (text: string | null, file: string): string | null => {
    needless = []
    const entry = serversIn(client, file, text ?? '').servers[name]
    if (text === null || entry === undefined) return text
    if (!isOurs(entry) && !force) throw notOurs(client, name, file)
    const result = withoutEntry(client, { file, name, text }, entry)
    needless = result.needless
    return result.text
  }
  const change = dryRun ? dryRunOf(path, edit) : await changeConfig(path, edit)
  const { file, text, after } = change
  const isGone = after !== text
  // The file is as it was before us, or was only ours: what our entry was can be written again at any time.
  const isRestored = isGone && (after === null || needless.length > 0)
  if (!dryRun && isRestored)
    for (const copy of [...needless, change.backup]) if (copy !== null) rmSync(copy, { force: true })
  if (!dryRun && isGone && after === null) removeEmptyFolder(dirname(file), place)
  return {
    client: client.id,
    title: client.title,
    scope,
    file,
    outcome: isGone ? 'removed' : 'absent',
    backup: isRestored ? null : change.backup,
    snippet: null,
    diff: diffOf(file, text, after),
    reload: isGone ? client.reload : null,
  }
}

/** The folder that was made for a file, unless something else is in it by now. */
function removeEmptyFolder(folder: string, place: Machine): void {
  if (folder === place.folder || folder === place.home) return
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty.
  }
}

interface Config {
  readonly file: string
  readonly name: string
  readonly text: string
}

/**
 * The text without our entry; null if the file was made for it.
 * @returns the copies that nobody needs any more, too: what was there before, and that with our entry
 */
function withoutEntry(
  client: McpClient,
  config: Config,
  entry: unknown,
): { readonly text: string | null; readonly needless: readonly string[] } {
  const { file, name, text } = config
  const copies = copiesOf(client, config)
  // The newest copy without our entry is what was there before we came.
  const at = copies.findIndex(({ servers }) => !isOurs(servers[name]))
  const origin = copies[at]
  if (origin === undefined) {
    const rest = withEntry(client, config, null, true)
    const isBlank = FORMATS[client.format].isBlank(rest)
    return { text: isBlank ? null : rest, needless: [] }
  }
  const isOrigin = (one: unknown, result: string) => {
    try {
      return isObject(one) && withEntry(client, { file, name, text: origin.text }, one) === result
    } catch {
      return false
    }
  }
  if (isOrigin(entry, text)) {
    const later = copies.slice(0, at).filter((copy) => isOrigin(copy.servers[name], copy.text))
    return { text: origin.text, needless: [origin, ...later].map(({ copy }) => copy) }
  }
  const former = origin.servers[name]
  if (isObject(former)) return { text: withEntry(client, config, former), needless: [] }
  const hadSection = client.section in FORMATS[client.format].parse(origin.text)
  return { text: withEntry(client, config, null, !hadSection), needless: [] }
}

/** The copies of a file that can be read, the newest first. */
function copiesOf(client: McpClient, { file }: Config) {
  return backupsOf(file).flatMap((copy) => {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(copy))
      return [{ copy, ...serversIn(client, copy, text) }]
    } catch {
      // A damaged copy says nothing of the past.
      return []
    }
  })
}

const notOurs = (client: McpClient, name: string, file: string) =>
  new ConfigError('ENTRY_TAKEN', `The server "${name}" of ${client.title} in ${file} is not Daybook’s.`, [
    'Name ours:       --name <name>',
    'Or remove it:    --force',
  ])

/** Fields that an entry of ours may have, in any client. Others are the user's, such as `disabled` or `trust`. */
const OWN_FIELDS = new Set([
  'type',
  'command',
  'args',
  'env',
  'env_vars',
  'url',
  'httpUrl',
  'serverUrl',
  'headers',
  'http_headers',
  'bearer_token_env_var',
])

/** Whether an entry runs or reaches Daybook's MCP server, written by us or by hand. */
function isOurs(entry: unknown): boolean {
  if (!isObject(entry)) return false
  const { command, args } = entry
  if (Array.isArray(args))
    return (
      args.includes('mcp') &&
      [command, ...args].some((part) => /(?:^|[/\\])daybook(?:\.mjs)?$/u.test(String(part)))
    )
  const address = String(entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'])
  const isMcp = URL.canParse(address) && new URL(address).pathname.endsWith('/mcp')
  return isMcp && JSON.stringify(entry).includes(KEY_VARIABLE)
}

/** Our entry in place of the one that is there, whose other fields stay. */
function merged(present: unknown, entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!isObject(present) || !isOurs(present)) return { ...entry }
  const kept = Object.entries(present).filter(([field]) => !OWN_FIELDS.has(field))
  return { ...entry, ...Object.fromEntries(kept) }
}

/** Whether a client is on this machine: one of its folders is there, or its program in `PATH`. */
export function isInstalled(client: McpClient, place: Machine): boolean {
  if (client.signs(place).some((path) => existsSync(path))) return true
  const folders = (place.environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = place.platform === 'win32' ? ['.exe', '.cmd'] : ['']
  return client.programs.some((program) =>
    folders.some((folder) => endings.some((ending) => existsSync(pathOf(place, folder, program + ending)))),
  )
}

/** One configuration of a client. */
interface ConfigState {
  readonly scope: Scope
  readonly file: string
  readonly exists: boolean
  /** Whether Daybook's server is in it. */
  readonly configured: boolean
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null
}

/** The configurations that a client has, and whether Daybook is in them under this name. */
export function configsOf(client: McpClient, place: Machine, name: string): readonly ConfigState[] {
  return SCOPES.flatMap((scope): ConfigState[] => {
    const path = client.files[scope]?.(place)
    if (path === undefined) return []
    try {
      const { file, text } = readConfig(path)
      const configured = isOurs(serversIn(client, file, text ?? '').servers[name])
      return [{ scope, file, exists: text !== null, configured, problem: null }]
    } catch (error) {
      return [{ scope, file: path, exists: true, configured: false, problem: (error as Error).message }]
    }
  })
}
