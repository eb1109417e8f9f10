import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { pause } from '@daybook/runtime/backoff'
import { CliError, EXIT } from '../../command-line.ts'
import { type Entry, type EntryPlace, type Format, type FormatName, jsonFormat } from './json-format.ts'
import { tomlFormat } from './toml-format.ts'

/** A configuration as it is on disk. */
interface ConfigText {
  /** Behind symbolic links. */
  readonly file: string
  /** Null if there is no file. A byte order mark is left out. */
  readonly text: string | null
}

/** What a change came to. */
interface Change extends ConfigText {
  readonly after: string | null
  /** The copy of what was there; null if nothing was, or nothing changed. */
  readonly backup: string | null
}

/** How often a file that others write meanwhile is tried, and the milliseconds between. */
const [TRIES, PAUSE_MS] = [5, 100]

/** A file of ours that is older was left by a run that was killed, in milliseconds. */
const ABANDONED_MS = 10_000

const MARK = '\uFEFF'

/** Reads a configuration. @throws ConfigError CONFIG_ACCESS, CONFIG_UNREADABLE */
export function readConfig(path: string): ConfigText {
  const file = behindLinks(path)
  return { file, text: textOf(file, bytesOf(file)) }
}

/**
 * Changes a configuration, atomically: others see it before or after. What was there is copied beside it first. If another program
 * writes the file between our reading and our replacing, the change is made again on what it wrote; only in the microseconds
 * between the last look and the replacement can it be overlooked, since clients know no lock.
 * @param path it may be a symbolic link, which stays; missing folders are made
 * @param edit gives the new text, null to delete the file, or the same text to change nothing
 * @param isShared whether a new file is for others to read too, as one of a project is
 * @throws ConfigError; whatever `edit` throws. The file is as it was then
 */
export async function changeConfig(
  path: string,
  edit: (text: string | null, file: string) => string | null,
  isShared = false,
): Promise<Change> {
  const file = behindLinks(path)
  try {
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const change = attemptChange(file, edit, isShared)
      if (change !== null) return change
      await pause(PAUSE_MS)
    }
  } catch (error) {
    throw accessError(file, error)
  }
  throw new ConfigError('CONFIG_BUSY', `Another program keeps writing ${file}; it was left as it is.`, [
    'Close the client, and try again',
  ])
}

/** @returns null if the file changed meanwhile, or another run of ours is at it */
function attemptChange(
  file: string,
  edit: (text: string | null, file: string) => string | null,
  isShared: boolean,
): Change | null {
  const before = bytesOf(file)
  const text = textOf(file, before)
  const after = edit(text, file)
  if (after === text) return { file, text, after, backup: null }
  if (before === null) makeFolder(dirname(file), isShared)
  const written = openOwn(`${file}.daybook-new`)
  if (written === null) return null
  let backup: string | null = null
  try {
    const bytes = Buffer.from(after === null ? '' : (startsWithMark(before) ? MARK : '') + after)
    writeFileSync(written.handle, bytes)
    fsyncSync(written.handle)
    likeBefore(file, written.path, isShared)
    backup = before === null ? null : backUp(file)
    if (!isSame(before, bytesOf(file))) {
      if (backup !== null) rmSync(backup)
      return null
    }
    if (after === null) rmSync(file)
    else renameSync(written.path, file)
    return { file, text, after, backup }
  } finally {
    closeSync(written.handle)
    rmSync(written.path, { force: true })
  }
}

/** Where a path leads: the file itself, or what a symbolic link names, also if that does not exist. */
function behindLinks(path: string): string {
  let here = resolve(path)
  // As many as Linux follows.
  for (let links = 0; links < 40; links += 1) {
    if (existsSync(here)) return realpathSync(here)
    try {
      here = resolve(dirname(here), readlinkSync(here))
    } catch {
      return here
    }
  }
  throw new ConfigError('CONFIG_ACCESS', `${path} leads in a circle of symbolic links.`)
}

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw accessError(file, error)
  }
}

function textOf(file: string, bytes: Buffer | null): string | null {
  try {
    return bytes === null ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ConfigError('CONFIG_UNREADABLE', `${file} is not UTF-8 text; it was left as it is.`)
  }
}

const startsWithMark = (bytes: Buffer | null) => bytes?.subarray(0, 3).equals(Buffer.from(MARK)) === true

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

function makeFolder(folder: string, isShared: boolean): void {
  if (existsSync(folder)) return
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Our umask makes everything private, which is right for a home, not for a project.
  if (isShared && first !== undefined) chmodSync(folder, 0o755)
}

/** The new file beside the old one. That it may exist only once keeps two runs of ours apart. */
function openOwn(path: string): { readonly path: string; readonly handle: number } | null {
  try {
    return { path, handle: openSync(path, 'wx', 0o600) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const info = statSync(path, { throwIfNoEntry: false })
    if (info !== undefined && Date.now() - info.mtimeMs > ABANDONED_MS) rmSync(path, { force: true })
    return null
  }
}

/** Gives the new file the mode and the owner of the old one. */
function likeBefore(file: string, written: string, isShared: boolean): void {
  const info = statSync(file, { throwIfNoEntry: false })
  chmodSync(written, info === undefined ? (isShared ? 0o644 : 0o600) : info.mode & 0o7777)
  if (info === undefined || info.uid === process.getuid?.()) return
  // Only the superuser may give files away. Anybody else could not have replaced it in a folder of another user.
  chownSync(written, info.uid, info.gid)
}

function accessError(file: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof ConfigError || code === undefined || syscall === undefined) return error
  return new ConfigError('CONFIG_ACCESS', `${file} cannot be changed: ${code}. It was left as it is.`, [
    'Look at the rights of the file and of its folder',
  ])
}

const suffix = (moment: Date) => `.daybook-${moment.toISOString().replace(/[-:]|\.\d+/gu, '')}`

/**
 * Copies a file beside itself, with its mode, before it is changed: `mcp.json.daybook-20261123T091500Z.bak`.
 * @returns the copy's path
 */
function backUp(file: string, now = new Date()): string {
  for (let count = 1; ; count += 1) {
    const copy = `${file}${suffix(now)}${count === 1 ? '' : `-${count}`}.bak`
    try {
      copyFileSync(file, copy, constants.COPYFILE_EXCL)
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

const BACKUP = /\.daybook-(?<moment>\d{8}T\d{6}Z)(?:-(?<count>\d+))?\.bak$/u

/** The copies of a file that `backUp` made, the newest first. */
export function backupsOf(file: string): readonly string[] {
  const found = readdirSync(dirname(file)).flatMap((name) => {
    const groups = name.startsWith(`${basename(file)}.`) ? BACKUP.exec(name)?.groups : undefined
    return groups === undefined
      ? []
      : [{ name, moment: groups['moment'] ?? '', count: Number(groups['count'] ?? 1) }]
  })
  return found
    .toSorted((one, next) => next.moment.localeCompare(one.moment) || next.count - one.count)
    .map(({ name }) => join(dirname(file), name))
}

/** What is known of a configuration: its text, and the servers that it names. */
export interface Servers {
  readonly text: string
  readonly servers: Entry
}

/**
 * Reads the servers of a text.
 * @throws Error saying why it cannot be read
 */
export function readServers(format: Format, section: string, text: string): Servers {
  const servers = format.parse(text)[section] ?? {}
  if (!isObject(servers)) throw new Error(`"${section}" is not a group of servers`)
  return { text, servers }
}

/**
 * Sets an entry, or with null removes it. What the text says otherwise is compared before and after.
 * @throws Error if the edit would change more than the entry; the text has a form that the format does not know then
 */
export function edited(
  format: Format,
  place: EntryPlace,
  text: string,
  entry: Entry | null,
  withSection = false,
): string {
  const result = entry === null ? format.remove(text, place, withSection) : format.set(text, place, entry)
  const [before, after] = [format.parse(text), format.parse(result)]
  if (!isDeepStrictEqual(without(place, before), without(place, after))) throw new Error('more would change')
  const found = readServers(format, place.section, result).servers[place.name]
  if (!isDeepStrictEqual(plain(found), plain(entry ?? undefined))) throw new Error('the entry would differ')
  return result
}

/** All but the entry. An empty section is the same as none. */
function without({ section, name }: EntryPlace, whole: Entry): Entry {
  const { [section]: servers, ...rest } = whole
  if (!isObject(servers)) return plain(whole) as Entry
  const { [name]: _, ...others } = servers
  return plain(Object.keys(others).length === 0 ? rest : { ...rest, [section]: others }) as Entry
}

/** The value without the classes that parsers give objects and dates. */
const plain = (value: unknown): unknown =>
  value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)))

/** Whether a value is a group of named values. */
export const isObject = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Why a client's configuration was left as it is. */
type ConfigErrorCode =
  /** Its text cannot be read: not JSON, not TOML, not UTF-8. */
  | 'CONFIG_UNREADABLE'
  /** It has a form that is not edited here, such as an inline table. */
  | 'CONFIG_FORM'
  /** Another program wrote it again and again meanwhile. */
  | 'CONFIG_BUSY'
  /** The system refuses to read or write it. */
  | 'CONFIG_ACCESS'
  /** The name belongs to another server. */
  | 'ENTRY_TAKEN'
  /** The client has no configuration of this scope. */
  | 'NO_SUCH_SCOPE'
  /** The client cannot reach a server in the way that was asked for. */
  | 'NOT_SUPPORTED'

/** A client's configuration was left as it is. */
export class ConfigError extends CliError {
  constructor(code: ConfigErrorCode, message: string, hints: readonly string[] = []) {
    super(EXIT.failed, code, message, hints)
  }
}

/** How each language is read and edited. */
export const FORMATS: Readonly<Record<FormatName, Format>> = { json: jsonFormat, toml: tomlFormat }
