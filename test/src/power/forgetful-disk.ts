import type nodeFs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Random } from '../support/random.ts'

/*
 * A disk as a power cut leaves it. What was synced is there; of the rest, any part is: single blocks of a write,
 * a file's length without its content, a name without the one that was made before it. POSIX promises no more, and a test can
 * only show that nothing relies on more.
 *
 *   write, truncate, create, rename, unlink ──▶ pending ──sync of that file, or of that folder──▶ on the disk
 *                                                  └──power cut──▶ any part of it
 */

/** A disk without a battery. */
export interface ForgetfulDisk {
  /** How many changes and syncs there were. */
  operations(): number
  /** Called before each of them, with its number from 1 on. */
  onOperation: (number: number) => void
  /**
   * Makes the folder what it may be after a power cut now. Nothing may use it meanwhile or afterwards.
   * @returns what was pending, and how much of it stayed
   */
  cutPower(random: Random): Cut
}

/** What a power cut did. */
export interface Cut {
  readonly pending: number
  readonly kept: number
}

type Fs = typeof nodeFs

/** Disks write so many bytes at once. */
const BLOCK = 4096

/** A change of a file's content that no sync has covered. `before`: what was there; shorter where the file ended. */
type Change =
  | { readonly offset: number; readonly before: Buffer; readonly after: Buffer; readonly size: number }
  | { readonly length: number; readonly tail: Buffer; readonly size: number }

/** A file or folder, whatever its name is now. */
interface Inode {
  /** Where its content is: under its name, or among the graves. */
  path: string
  changes: Change[]
}

/** A change of a folder's names that no sync has covered. */
type Naming =
  | { readonly type: 'create'; readonly name: string; readonly inode: Inode }
  | { readonly type: 'unlink'; readonly name: string; readonly inode: Inode }
  | {
      readonly type: 'rename'
      readonly name: string
      readonly to: string
      readonly inode: Inode
      readonly replaced: Inode | undefined
    }

/**
 * Has a folder, and what lies beside it with a name that begins alike, lie on a forgetful disk: replaces functions of `fs`. What
 * is there already counts as synced. It knows what PGlite uses.
 */
export function layOnForgetfulDisk(fs: Fs, folder: string): ForgetfulDisk {
  const {
    closeSync,
    existsSync,
    fstatSync,
    ftruncateSync,
    linkSync,
    mkdirSync,
    openSync,
    readSync,
    renameSync,
    rmSync,
    statSync,
    truncateSync,
    unlinkSync,
    writeFileSync,
    writeSync,
  } = fs
  const { open } = fs.promises
  const graves = `${folder}.graves`
  rmSync(graves, { recursive: true, force: true })
  mkdirSync(graves)
  let buried = 0
  const grave = () => join(graves, String((buried += 1)))

  const inodes = new Map<string, Inode>()
  const opened = new Map<number, Inode & { readonly isFolder?: true }>()
  const namings = new Map<string, Naming[]>()
  let operations = 0
  const disk: ForgetfulDisk = {
    operations: () => operations,
    onOperation: () => {},
    cutPower: (random) => cutPower(random),
  }
  const count = () => disk.onOperation((operations += 1))
  const isOurs = (path: unknown): path is string =>
    typeof path === 'string' && (`${path}/`.startsWith(`${folder}/`) || path === `${folder}.new`)

  const inodeAt = (path: string): Inode => {
    const known = inodes.get(path)
    if (known !== undefined) return known
    const inode = { path, changes: [] }
    inodes.set(path, inode)
    return inode
  }
  const note = (path: string, naming: Naming) => {
    const list = namings.get(dirname(path)) ?? []
    namings.set(dirname(path), list)
    list.push(naming)
  }
  const created = (path: string) => {
    inodes.delete(path)
    note(path, { type: 'create', name: basename(path), inode: inodeAt(path) })
  }
  /** Keeps what has lost its name until a sync has made that true. */
  const bury = (path: string): Inode => {
    const inode = inodeAt(path)
    inodes.delete(path)
    inode.path = grave()
    linkSync(path, inode.path)
    return inode
  }
  const read = (file: number, offset: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
  }
  const truncated = (inode: Inode, length: number, file: number) => {
    const { size } = fstatSync(file)
    inode.changes.push({
      length,
      size,
      tail: length < size ? read(file, length, size - length) : Buffer.alloc(0),
    })
  }
  const withFile = <T>(path: string, work: (file: number) => T): T => {
    const file = openSync(path, 'r+')
    try {
      return work(file)
    } finally {
      closeSync(file)
    }
  }
  const syncedFolder = (path: string) => {
    for (const naming of namings.get(path) ?? [])
      for (const inode of [naming.inode, naming.type === 'rename' ? naming.replaced : undefined])
        if (inode !== undefined && dirname(inode.path) === graves) rmSync(inode.path, { force: true })
    namings.delete(path)
  }

  fs.openSync = ((path, flags, ...rest) => {
    const isNew = isOurs(path) && !existsSync(path)
    // What is written over must be readable.
    const both =
      typeof flags === 'number' && (flags & 3) === fs.constants.O_WRONLY
        ? flags - fs.constants.O_WRONLY + fs.constants.O_RDWR
        : flags
    const file = openSync(path, isOurs(path) ? both : flags, ...rest)
    if (typeof path !== 'string' || !(isOurs(path) || path === dirname(folder))) return file
    if (isNew) created(path)
    opened.set(file, statSync(path).isDirectory() ? { path, changes: [], isFolder: true } : inodeAt(path))
    return file
  }) as Fs['openSync']
  fs.closeSync = (file) => {
    opened.delete(file)
    closeSync(file)
  }
  fs.writeSync = ((file: number, bytes: Uint8Array, from: number, length: number, offset: number) => {
    const inode = opened.get(file)
    if (inode !== undefined) {
      count()
      const after = Buffer.from(bytes.subarray(from, from + length))
      const { size } = fstatSync(file)
      inode.changes.push({ offset, before: read(file, offset, length), after, size })
    }
    return writeSync(file, bytes, from, length, offset)
  }) as Fs['writeSync']
  fs.writeFileSync = ((path, data, ...rest) => {
    if (isOurs(path)) {
      count()
      if (existsSync(path)) withFile(path, (file) => truncated(inodeAt(path), 0, file))
      else created(path)
      // What is written in one go is empty, here and in PGlite.
      if (data !== '') throw new Error(`a content is written to ${path} without being opened`)
    }
    writeFileSync(path, data, ...rest)
  }) as Fs['writeFileSync']
  fs.ftruncateSync = (file, length = 0) => {
    const inode = opened.get(file)
    if (inode !== undefined) {
      count()
      truncated(inode, length ?? 0, file)
    }
    ftruncateSync(file, length)
  }
  fs.truncateSync = (path, length = 0) => {
    if (isOurs(path)) {
      count()
      withFile(path, (file) => truncated(inodeAt(path), length ?? 0, file))
    }
    truncateSync(path, length)
  }
  fs.mkdirSync = ((path, ...rest) => {
    if (isOurs(path)) count()
    const result = mkdirSync(path, ...rest)
    if (isOurs(path)) created(path)
    return result
  }) as Fs['mkdirSync']
  fs.unlinkSync = (path) => {
    if (isOurs(path)) {
      count()
      note(path, { type: 'unlink', name: basename(path), inode: bury(path) })
    }
    unlinkSync(path)
  }
  fs.renameSync = (from, to) => {
    if (isOurs(from) && isOurs(to)) {
      count()
      if (dirname(from) !== dirname(to)) throw new Error(`${from} is moved to another folder`)
      const replaced = existsSync(to) ? bury(to) : undefined
      const inode = inodeAt(from)
      inodes.delete(from)
      inode.path = to
      inodes.set(to, inode)
      note(from, { type: 'rename', name: basename(from), to: basename(to), inode, replaced })
    }
    renameSync(from, to)
  }
  fs.rmSync = (path, options) => {
    if (!isOurs(path)) return rmSync(path, options)
    if (existsSync(path) && statSync(path).isFile()) return fs.unlinkSync(path)
    // A whole folder goes only if nothing in it counts.
    for (const known of inodes.keys()) if (known.startsWith(`${path}/`)) inodes.delete(known)
    for (const known of namings.keys()) if (`${known}/`.startsWith(`${path}/`)) namings.delete(known)
    rmSync(path, options)
  }
  // Nothing here needs the real disk.
  const sync = (file: number) => {
    const inode = opened.get(file)
    if (inode === undefined) return
    count()
    if (inode.isFolder) syncedFolder(inode.path)
    else inode.changes = []
  }
  fs.fdatasyncSync = sync
  fs.fsyncSync = sync
  fs.promises.open = (async (path, ...rest) => {
    const file = await open(path, ...rest)
    if (isOurs(path))
      file.datasync = () => {
        count()
        inodeAt(path).changes = []
        return Promise.resolve()
      }
    return file
  }) as typeof open

  function cutPower(random: Random): Cut {
    const chance = random.oneOf([0, 0.5, 0.9, 1, random.next()])
    // A file system with a log keeps the changes up to some moment, as far as names go.
    const isOrdered = random.chance(0.5)
    let pending = 0
    let kept = 0
    const stays = (): boolean => {
      const stayed = random.chance(chance)
      pending += 1
      kept += stayed ? 1 : 0
      return stayed
    }
    const all = new Set([...inodes.values(), ...[...namings.values()].flat().map(({ inode }) => inode)])
    for (const inode of all)
      if (inode.changes.length > 0 && existsSync(inode.path)) forgetContent(inode, stays)
    // The deepest first, before the folders above lose their names.
    const folders = [...namings].toSorted(([one], [other]) => other.length - one.length)
    for (const [path, list] of folders) if (existsSync(path)) forgetNames(path, list, isOrdered, stays)
    return { pending, kept }
  }

  function forgetContent({ path, changes }: Inode, stays: () => boolean): void {
    withFile(path, (file) => {
      for (const change of changes.toReversed()) {
        const [bytes, offset] =
          'after' in change ? [change.before, change.offset] : [change.tail, change.length]
        if (bytes.length > 0) writeSync(file, bytes, 0, bytes.length, offset)
        ftruncateSync(file, change.size)
      }
      for (const change of changes) {
        if ('after' in change) {
          const { offset, after } = change
          for (let from = 0; from < after.length; ) {
            const to = Math.min(after.length, from + BLOCK - ((offset + from) % BLOCK))
            if (stays()) writeSync(file, after, from, to - from, offset + from)
            from = to
          }
        } else if (stays()) ftruncateSync(file, change.length)
      }
    })
  }

  function forgetNames(
    path: string,
    list: readonly Naming[],
    isOrdered: boolean,
    stays: () => boolean,
  ): void {
    const names = new Map<string, Inode | undefined>()
    for (const naming of list)
      for (const name of naming.type === 'rename' ? [naming.name, naming.to] : [naming.name]) {
        const now = join(path, name)
        names.set(name, existsSync(now) ? inodeAt(now) : undefined)
      }
    const present = [...new Set([...names.values()].filter((inode) => inode !== undefined))]
    for (const naming of list.toReversed()) {
      names.set(naming.name, naming.type === 'create' ? undefined : naming.inode)
      if (naming.type === 'rename') names.set(naming.to, naming.replaced)
    }
    for (const naming of list) {
      if (!stays()) {
        if (isOrdered) break
        continue
      }
      if (naming.type !== 'rename')
        names.set(naming.name, naming.type === 'create' ? naming.inode : undefined)
      else {
        names.set(naming.name, undefined)
        names.set(naming.to, naming.inode)
      }
    }
    for (const inode of present) {
      const away = grave()
      renameSync(inode.path, away)
      inode.path = away
    }
    for (const [name, inode] of names)
      if (inode !== undefined && existsSync(inode.path)) place(inode, join(path, name))
  }

  /** Some inodes may have two names then. */
  function place(inode: Inode, path: string): void {
    if (dirname(inode.path) === graves) {
      renameSync(inode.path, path)
      inode.path = path
    } else linkSync(inode.path, path)
  }

  return disk
}
