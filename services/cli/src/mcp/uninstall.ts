import { readFileSync, rmSync } from 'node:fs'
import { fileOf, serversIn, withEntry } from './client-config.ts'
import type { McpClient } from './clients/client.ts'
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
  let restored: string | null = null
  const edit = (text: string | null, file: string): string | null => {
    restored = null
    const entry = serversIn(client, file, text ?? '').servers[name]
    if (text === null || entry === undefined) return text
    if (!isOurs(entry) && !force) throw notOurs(client, name, file)
    const result = withoutEntry(client, { file, name, text }, entry)
    restored = result.restored
    return result.text
  }
  const change = dryRun ? dryRunOf(path, edit) : await changeConfig(path, edit)
  const isGone = change.after !== change.text
  // The file is its own copy again, and our entry can be made again.
  if (!dryRun && restored !== null)
    for (const copy of [restored, change.backup]) if (copy !== null) rmSync(copy)
  return {
    client: client.id,
    title: client.title,
    scope,
    file: change.file,
    outcome: isGone ? 'removed' : 'absent',
    backup: restored === null ? change.backup : null,
    snippet: null,
    diff: diffOf(change.file, change.text, change.after),
    reload: isGone ? client.reload : null,
  }
}

interface Config {
  readonly file: string
  readonly name: string
  readonly text: string
}

/** The text without our entry; null if the file was made for it. @returns the copy that came back, too */
function withoutEntry(
  client: McpClient,
  config: Config,
  entry: unknown,
): { readonly text: string | null; readonly restored: string | null } {
  const { file, name, text } = config
  const origin = originOf(client, config)
  if (origin === null) {
    const rest = withEntry(client, config, null, true)
    return { text: FORMATS[client.format].isBlank(rest) ? null : rest, restored: null }
  }
  if (isObject(entry) && sameWith(client, { file, name, text: origin.text }, entry, text))
    return { text: origin.text, restored: origin.copy }
  const former = origin.servers[name]
  if (isObject(former)) return { text: withEntry(client, config, former), restored: null }
  return { text: withEntry(client, config, null, !origin.hasSection), restored: null }
}

/** The newest copy without our entry: what was there before we came. Null if there was no file then. */
function originOf(client: McpClient, { file, name }: Config) {
  for (const copy of backupsOf(file)) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(copy))
      const { servers } = serversIn(client, copy, text)
      if (isOurs(servers[name])) continue
      return { copy, text, servers, hasSection: client.section in FORMATS[client.format].parse(text) }
    } catch {
      // A damaged copy says nothing of the past.
    }
  }
  return null
}

/** Whether a copy with our entry is exactly the present text. */
function sameWith(client: McpClient, copy: Config, entry: Readonly<Record<string, unknown>>, text: string) {
  try {
    return withEntry(client, copy, entry) === text
  } catch {
    return false
  }
}

const notOurs = (client: McpClient, name: string, file: string) =>
  new ConfigError('ENTRY_TAKEN', `The server "${name}" of ${client.title} in ${file} is not Daybook’s.`, [
    'Name ours:       --name <name>',
    'Or remove it:    --force',
  ])
