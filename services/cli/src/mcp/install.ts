import { isDeepStrictEqual } from 'node:util'
import { fileOf, serversIn, withEntry } from './client-config.ts'
import type { McpClient, Place, Scope } from './clients/client.ts'
import { ConfigError } from './config/config-error.ts'
import { changeConfig, readConfig } from './config/config-file.ts'
import type { Entry } from './config/format.ts'
import { isOurs, merged } from './is-ours.ts'
import { diffOf, type Outcome, snippetOf } from './outcome.ts'
import { KEY_VARIABLE, type Server } from './server.ts'

/** What is asked for one client. */
export interface Wanted {
  readonly client: McpClient
  readonly scope: Scope
  readonly place: Place
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
export async function install(wanted: Wanted, server: Server): Promise<Outcome> {
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
export function dryRunOf(path: string, edit: (text: string | null, file: string) => string | null) {
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
