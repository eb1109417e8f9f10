import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findDataFolder } from '@daybook/local-daemon/data-folder'
import { createTwoFilesPatch } from 'diff'
import { maskSecrets } from '../hooks/known-text.ts'
import { type GlobalOptions, parseUrl, placeFrom } from '../settings.ts'
import type { Machine, McpClient, Scope, Server } from './clients.ts'
import { ConfigError, edited, FORMATS, readServers, type Servers } from './config/config-file.ts'
import type { Entry } from './config/json-format.ts'

/** The file of a client's configuration. @throws ConfigError NO_SUCH_SCOPE */
export function fileOf(client: McpClient, scope: Scope, place: Machine): string {
  const file = client.files[scope]?.(place)
  if (file !== undefined) return file
  throw new ConfigError('NO_SUCH_SCOPE', `${client.title} has no configuration of its own for a ${scope}.`, [
    `It has one for: ${Object.keys(client.files).join(', ')}  (--scope)`,
  ])
}

/** The servers that a configuration names. @throws ConfigError CONFIG_UNREADABLE */
export function serversIn(client: McpClient, file: string, text: string): Servers {
  try {
    return readServers(FORMATS[client.format], client.section, text)
  } catch (error) {
    const language = client.format === 'json' ? 'JSON' : 'TOML'
    throw new ConfigError(
      'CONFIG_UNREADABLE',
      `${file} cannot be read as ${language}: ${(error as Error).message}. It was left as it is.`,
      [`Mend it, and try again: ${client.title} cannot read it either`],
    )
  }
}

/** The text with the entry; with null without it. @throws ConfigError CONFIG_FORM */
export function withEntry(
  client: McpClient,
  { file, name, text }: { readonly file: string; readonly name: string; readonly text: string },
  entry: Entry | null,
  withSection = false,
): string {
  const { format, section, title } = client
  try {
    return edited(FORMATS[format], { section, name }, text, entry, withSection)
  } catch {
    throw new ConfigError(
      'CONFIG_FORM',
      `${file} is written in a form that is not edited here. It was left as it is.`,
      entry === null
        ? [`Remove the server "${name}" from it by hand`]
        : [`Add this to it by hand for ${title}:`, ...snippetOf(client, name, entry).trimEnd().split('\n')],
    )
  }
}

/** A program with its first arguments. */
interface Command {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * How a client starts the server: this node with this very file. It needs no `PATH`, which programs with a window do not share with the
 * shell, and asks no registry, where anybody could own the package's name.
 * @param binary the file that this process was started with (`process.argv[1]`)
 */
export const ownCommand = (binary: string): Command => ({
  command: process.execPath,
  args: [realpathSync(binary), 'mcp'],
})

/** What the user asked for; nothing of it comes from environment variables, which the client would not have. */
export interface ServerOptions extends Pick<GlobalOptions, 'url' | 'dataDir' | 'project'> {
  /** The groups of tools; the server's own default if absent. */
  readonly toolsets?: readonly string[]
  /** Whether the client speaks HTTP with the daemon, instead of starting a server that does. */
  readonly http?: boolean
}

/**
 * The server that an entry names. A local one finds its data folder from the folder it is started in, or in the user's home. For
 * the scope `user` that folder may be any, so a data folder elsewhere is named; for a project's it is the project's own.
 * @throws UsageError for a URL that is none; UnreachableError if over HTTP none is given and the folder's daemon does not run
 */
export function serverOf(options: ServerOptions, scope: Scope, own: Command, place: Machine): Server {
  const dataDir = options.dataDir === undefined ? null : resolve(place.folder, options.dataDir)
  const found = dataDir ?? findDataFolder(place.folder, place.home)
  const { project, toolsets } = options
  if (options.http === true) {
    const shown = toolsets === undefined ? '' : `?toolsets=${toolsets.join(',')}`
    const url = `${placeFrom({ ...options, dataDir: found }, {}).url}/mcp${shown}`
    // A header takes only ASCII; the gateway decodes it.
    const headers = { ...(project !== undefined && { 'x-daybook-project': encodeURIComponent(project) }) }
    return { transport: 'http', url, headers }
  }
  const isElsewhere =
    scope === 'user' && options.url === undefined && found !== findDataFolder(place.home, place.home)
  const named = dataDir ?? (isElsewhere && holdsKey(found) ? found : null)
  const args = [
    ...own.args,
    ...(options.url === undefined ? [] : ['--url', parseUrl(options.url)]),
    ...(named === null ? [] : ['--data-dir', named]),
    ...(project === undefined ? [] : ['--project', project]),
    ...(toolsets === undefined ? [] : ['--toolsets', toolsets.join(',')]),
  ]
  const needsKey = options.url !== undefined && dataDir === null
  return { transport: 'stdio', command: own.command, args, needsKey }
}

const holdsKey = (folder: string) => existsSync(join(folder, 'api-key'))

/** What became of one client's configuration, or would without `--dry-run`. */
export interface Outcome {
  readonly client: string
  readonly title: string
  readonly scope: Scope
  /** The configuration, behind symbolic links. */
  readonly file: string
  /** `unchanged`: it was so already. `absent`: there was no entry to remove. */
  readonly outcome: 'added' | 'updated' | 'unchanged' | 'removed' | 'absent'
  /** The copy of what was there; null if nothing was or nothing changed. */
  readonly backup: string | null
  /** The entry alone, in the client's language, as it can be written by hand; null where it was removed. */
  readonly snippet: string | null
  /** What changes, as a unified diff whose lines show no secrets; null if nothing does. */
  readonly diff: string | null
  /** What makes the client read it again; null if nothing changed. */
  readonly reload: string | null
}

/** The entry alone, as a configuration that says nothing else. */
export const snippetOf = (
  client: McpClient,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): string => FORMATS[client.format].set('', { section: client.section, name }, entry)

/** The lines around a change that a diff shows: a configuration may hold the keys of other servers. */
const AROUND = 2

/** A unified diff of a configuration. @param after null if the file goes */
export function diffOf(file: string, before: string | null, after: string | null): string | null {
  if (before === after) return null
  const names = [before === null ? '/dev/null' : file, after === null ? '/dev/null' : file] as const
  return maskSecrets(
    createTwoFilesPatch(...names, before ?? '', after ?? '', undefined, undefined, {
      context: AROUND,
    }).replace(/^=+\n/u, ''),
  )
}
