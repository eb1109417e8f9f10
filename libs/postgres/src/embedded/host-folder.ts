import { createHash } from 'node:crypto'
import fs, {
  closeSync,
  existsSync,
  fdatasyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import { PRIVATE_UMASK } from '@daybook/runtime/private-folder'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/*
 * The folder of the embedded database, and what PGlite leaves out of its files: a sync, without which no commit survives a
 * power cut, is passed on before recovery opens the first file; and a log without room ends the process.
 */

/** Postgres' options with which it asks for a sync at each commit. Its `fdatasync` never leaves PGlite. */
export const SYNCING = ['-c', 'wal_sync_method=fsync']

type Options = Parameters<NodeFS['init']>[1]

/** The parts of Emscripten's NODEFS that are used here. */
interface HostFiles {
  readonly node_ops: { mknod(folder: unknown, ...rest: unknown[]): unknown }
  readonly stream_ops: {
    fsync?: (stream: { nfd: number; node: { parent: unknown } }) => number
    write(stream: { node: { parent: unknown } }, ...rest: unknown[]): number
  }
  realPath(node: unknown): string
  /** Throws the file system's errors as those that Postgres understands. */
  tryFSOperation<T>(work: () => T): T
}

/**
 * The files of a database in a folder of the host, with syncs or without. Where there is no room for the write-ahead log, Postgres
 * ends itself and recovers. PGlite turns in a circle for ever instead, so `onLogFull` must end its process.
 */
export class HostFolder extends NodeFS {
  readonly #synced: boolean
  readonly #onLogFull: () => void

  constructor(folder: string, synced: boolean, onLogFull: () => void) {
    super(folder)
    this.#synced = synced
    this.#onLogFull = onLogFull
  }

  override init(database: PGlite, options: Options): ReturnType<NodeFS['init']> {
    const preRun: Options['preRun'] = [
      ...(options.preRun ?? []),
      ({ FS }) => {
        const files: HostFiles = FS.filesystems.NODEFS
        if (this.#synced) passSyncsOn(files)
        noticeFullLog(files, this.#onLogFull)
      },
    ]
    return super.init(database, { ...options, preRun })
  }
}

/** Emscripten's number for a disk without room. */
const ENOSPC = 51

function noticeFullLog(files: HostFiles, onLogFull: () => void): void {
  const { write } = files.stream_ops
  files.stream_ops.write = (stream, ...rest) => {
    try {
      return write(stream, ...rest)
    } catch (error) {
      if (
        (error as { errno?: unknown }).errno === ENOSPC &&
        basename(files.realPath(stream.node.parent)) === 'pg_wal'
      )
        onLogFull()
      throw error
    }
  }
}

/**
 * Postgres syncs the folders of its log and its control files by itself, but relies on the file system for those of
 * tables: that a new file's name is on the disk when its content is. POSIX does not promise it.
 */
function passSyncsOn(files: HostFiles): void {
  const withNewNames = new Set<string>()
  const { mknod } = files.node_ops
  files.node_ops.mknod = (folder, ...rest) => {
    withNewNames.add(files.realPath(folder))
    return mknod(folder, ...rest)
  }
  files.stream_ops.fsync = ({ nfd, node }) =>
    files.tryFSOperation(() => {
      fdatasyncSync(nfd)
      const folder = files.realPath(node.parent)
      if (withNewNames.delete(folder)) syncFolder(folder)
      return 0
    })
}

/**
 * Begins work on a database's folder. One whose making was cut short is removed: nothing in it was ever
 * acknowledged, and PGlite would take it for whole.
 */
export function beginFolder(folder: string, synced: boolean): void {
  const making = `${folder}.new`
  if (existsSync(making)) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(folder) || readdirSync(folder).length === 0) {
    writeFileSync(making, '')
    if (synced) syncFolder(dirname(folder))
  }
  // A power cut can leave it empty, which Postgres refuses for ever. Our own lock says that no other process is here.
  rmSync(join(folder, 'postmaster.pid'), { force: true })
  // It will have what no sync has seen.
  if (!synced) rmSync(join(folder, MARK), { force: true })
}

/** In a database's folder: all that was there when this was written had been synced. */
const MARK = 'daybook-synced'

/**
 * Syncs what no sync of Postgres covers: a new database, and one that was used without syncs. Takes 0.4 s on a disk where one
 * sync takes 3 ms. Then the folder counts as made.
 */
export async function syncFolderOnce(folder: string, synced: boolean): Promise<void> {
  const mark = join(folder, MARK)
  if (synced && !existsSync(mark)) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    await Promise.all(
      entries.filter((entry) => entry.isFile()).map((entry) => syncFile(join(entry.parentPath, entry.name))),
    )
    for (const entry of entries) if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name))
    for (let path = folder, below = ''; path !== below; below = path, path = dirname(path)) syncFolder(path)
    writeFileSync(mark, '')
    syncFolder(folder)
  }
  rmSync(`${folder}.new`, { force: true })
  if (synced) syncFolder(dirname(folder))
}

async function syncFile(path: string): Promise<void> {
  // Windows syncs only what may be written.
  const file = await open(path, 'r+')
  await file.datasync().finally(() => file.close())
}

/** Syncs the names in a folder. Windows has no such thing, and a folder above may not be ours to read. */
function syncFolder(path: string): void {
  let folder: number
  try {
    folder = openSync(path, 'r')
  } catch {
    return
  }
  try {
    fdatasyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/**
 * Makes every file of this process readable for its user only. PGlite sets the mode of its files to 0666 or
 * 0644 by chmod. A umask does not affect that, and PGlite has no option for it, so this replaces chmod with
 * one that grants nothing to group and others. Call it before PGlite opens its folder, in a process that does
 * nothing else.
 */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK)
  const { chmodSync, fchmodSync } = fs
  fs.chmodSync = (path, mode) => chmodSync(path, withoutOthers(mode))
  fs.fchmodSync = (file, mode) => fchmodSync(file, withoutOthers(mode))
  // For modules that imported the functions by name.
  syncBuiltinESMExports()
}

const withoutOthers = (mode: fs.Mode): number =>
  (typeof mode === 'string' ? Number.parseInt(mode, 8) : mode) & ~PRIVATE_UMASK

/**
 * The kernel's limit for the path of a Unix socket is 104 bytes on macOS and 108 on Linux, including the
 * final zero.
 */
const LONGEST_PATH = 103

/** Clients derive a socket's name from the port that they are given. */
export const SOCKET_PORT = 5432

/**
 * Where the embedded database listens: in the data folder. If that path is too long for a socket, in a folder
 * of the user's own in the system's temporary folder. Makes the folder, mode 0700.
 * @throws DaybookError CONFIGURATION if that folder belongs to another user, who could listen there in our
 * place
 */
export function socketPath(dataDir: string): string {
  const file = `.s.PGSQL.${SOCKET_PORT}`
  let path = join(dataDir, 'run', file)
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
    path = join(tmpdir(), `daybook-${userInfo().uid}-${id}`, file)
  }
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  refuseForeignFolder(folder)
  return path
}

function refuseForeignFolder(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  const mine = process.getuid === undefined || uid === process.getuid()
  if (!mine || (mode & 0o022) !== 0)
    throw new DaybookError(
      'CONFIGURATION',
      `The folder ${folder} is open to other users, so the embedded database cannot listen in it: remove it`,
    )
}
