import { readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileOf, serversIn, withEntry } from './client-config.ts'
import type { McpClient, Place } from './clients/client.ts'
import { backupsOf } from './config/backups.ts'
import { ConfigError } from './config/config-error.ts'
import { changeConfig } from './config/config-file.ts'
import { isObject } from './config/edited.ts'
import { FORMATS } from './config/formats.ts'
import { dryRunOf, type Wanted } from './install.ts'
import { isOurs } from './is-ours.ts'
import { diffOf, type Outcome } from './outcome.ts'

/**
 * Removes Daybook's server from a client's configuration, and nothing else. If only our entry was written since the copy that
 * the installation made, that copy comes back byte by byte. A server whose name was taken with `--force` comes back too.
 * @throws ConfigError; the configuration is as it was then
 */
export async function uninstall(wanted: Wanted): Promise<Outcome> {
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
function removeEmptyFolder(folder: string, place: Place): void {
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
