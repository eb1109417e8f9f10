import { isUtf8 } from 'node:buffer'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { grouped, sizeInWords } from '@daybook/memory/text-rules'
import { type Entry, getFileNameLowLevel, openPromise, validateFileName, type ZipFile } from 'yauzl'
import type { ImportItem } from './formats/format.ts'

/** What can be imported, which is there until it is disposed of. */
export interface Unpacked extends AsyncDisposable {
  /** Of an archive a folder with its name without `.zip`, or the one folder or file of JSON in it. */
  readonly path: string
  readonly leftOut: readonly ImportItem[]
}

/** What an archive may hold. Far more than any export has of text, and less than fills a disk. */
const LIMITS = { bytes: 8 * 1024 ** 3, entries: 250_000 }

/** The files whose content an import reads. Others are made without it, since they are only counted: an export may have gigabytes of pictures. */
const READ = /\.(?:json|jsonl|md|markdown|zip)$/iu

const isArchive = (name: string) => extname(name).toLowerCase() === '.zip'

/** What is beside the files of an archive that macOS made. */
const isOfSystem = (name: string) => name === '__MACOSX' || name === '.DS_Store'

/** Where and how an archive is unpacked. */
interface Unpacking {
  readonly path: string
  readonly limits: typeof LIMITS
  readonly leftOut: ImportItem[]
  readonly signal: AbortSignal
  bytes: number
  entries: number
}

/**
 * Unpacks an archive into a private temporary folder, so that it is imported as the folder is that a person unpacks by hand. An archive of
 * archives only, as Notion makes them, and a folder of archives only, as Claude's export, has a folder for each.
 * @returns the path itself if it is neither
 * @throws Error that says why it cannot be unpacked, also when the signal ends it; then nothing stays
 */
export async function unpack(path: string, signal: AbortSignal, limits = LIMITS): Promise<Unpacked> {
  const archives = await archivesAt(path)
  if (archives.length === 0) return { path, leftOut: [], [Symbol.asyncDispose]: async () => {} }
  const temporary = await mkdtemp(join(tmpdir(), 'daybook-import-'))
  const remove = () => rm(temporary, { recursive: true, force: true })
  try {
    const unpacking = { path, limits, leftOut: [], signal, bytes: 0, entries: 0 }
    const isOne = archives[0] === path
    const folder = join(temporary, isOne ? nameOf(path) : basename(resolve(path)))
    for (const archive of archives)
      await unpackInto(isOne ? folder : join(folder, nameOf(archive)), archive, unpacking)
    const found = isOne ? await insideOf(folder) : folder
    for (const archive of isOne ? await archivesAt(found) : []) {
      await unpackInto(archive.slice(0, -extname(archive).length), archive, unpacking)
      await rm(archive)
    }
    return { path: found, leftOut: unpacking.leftOut, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const nameOf = (archive: string) => basename(archive, extname(archive))

/** The path itself, if it is an archive, else the files of a folder that holds archives only. */
async function archivesAt(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory() !== true) return stats?.isFile() === true && isArchive(path) ? [path] : []
  const names = (await readdir(path)).filter((name) => !name.startsWith('.'))
  return names.every(isArchive) ? names.toSorted().map((name) => join(path, name)) : []
}

/**
 * The one folder in a folder, as unpacking by hand gives it: whoever archives a folder has it in the archive. Or the one file of JSON, whose
 * format a folder does not tell. A single note stays where it is: its folder is part of its name.
 */
async function insideOf(folder: string): Promise<string> {
  const [only, ...others] = (await readdir(folder, { withFileTypes: true })).filter(
    ({ name }) => !isOfSystem(name),
  )
  return only !== undefined &&
    others.length === 0 &&
    (only.isDirectory() || /\.jsonl?$/iu.test(only.name)) &&
    !only.name.startsWith('.')
    ? join(folder, only.name)
    : folder
}

async function unpackInto(folder: string, archive: string, unpacking: Unpacking): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await unpackAll(folder, archive, unpacking)
  } catch (error) {
    if (archive === unpacking.path) throw error
    throw new Error(`${basename(archive)}: ${(error as Error).message}`, { cause: error })
  }
}

async function unpackAll(folder: string, archive: string, unpacking: Unpacking): Promise<void> {
  const zip = await openPromise(archive, { autoClose: false, decodeStrings: false })
  try {
    unpacking.entries += zip.entryCount
    if (unpacking.entries > unpacking.limits.entries)
      throw new Error(`it holds more than ${grouped(unpacking.limits.entries)} files; ${BY_HAND}`)
    for await (const entry of zip.eachEntry()) await unpackEntry(folder, zip, entry, unpacking)
  } finally {
    zip.close()
  }
}

const BY_HAND = 'unpack it yourself and import the folder'

/** The type of a file in the attributes that systems like Unix give it; 0 where there are none. */
const TYPES = { none: 0, folder: 4, file: 8, link: 10 }

/** What goes wrong with one name and does not hinder the others: it is there, it is a folder's, or it is too long. */
const OF_NAMES: Readonly<Record<string, string>> = {
  EEXIST: 'files (same name twice)',
  EISDIR: 'files (same name twice)',
  ENOTDIR: 'files (same name twice)',
  ENAMETOOLONG: 'files (name too long)',
}

async function unpackEntry(folder: string, zip: ZipFile, entry: Entry, unpacking: Unpacking): Promise<void> {
  const { limits, leftOut, signal } = unpacking
  signal.throwIfAborted()
  const name = nameIn(entry)
  const type = entry.externalFileAttributes >>> 28
  if (name.endsWith('/') || type === TYPES.folder || isOfSystem(name.split('/', 1)[0] as string)) return
  if (type !== TYPES.none && type !== TYPES.file)
    return void leftOut.push({
      where: name,
      leftOut: type === TYPES.link ? 'symbolic links' : 'special files',
    })
  const target = join(folder, name)
  try {
    await mkdir(dirname(target), { recursive: true })
    if (!READ.test(name)) return await writeFile(target, '', { flag: 'wx' })
    if (entry.isEncrypted()) throw new Error(`it is encrypted; ${BY_HAND}`)
    if (!entry.canDecodeFileData())
      throw new Error(`${name} is compressed by method ${entry.compressionMethod}; ${BY_HAND}`)
    // The library ends a file that has more bytes than it says.
    unpacking.bytes += entry.uncompressedSize
    if (unpacking.bytes > limits.bytes)
      throw new Error(`it holds more than ${sizeInWords(limits.bytes)}; ${BY_HAND}`)
    await pipeline(
      await zip.openReadStreamPromise(entry),
      (chunks: AsyncIterable<Buffer>) => checked(chunks, name, entry.crc32),
      createWriteStream(target, { flags: 'wx' }),
      { signal },
    )
  } catch (error) {
    const what = OF_NAMES[(error as NodeJS.ErrnoException).code ?? '']
    if (what === undefined) throw error
    leftOut.push({ where: name, leftOut: what })
  }
}

/** @throws Error if the bytes are others than those that were archived */
async function* checked(chunks: AsyncIterable<Buffer>, name: string, expected: number) {
  let sum = 0
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== expected) throw new Error(`${name} is damaged in it`)
}

/**
 * The name of an entry. Finder and many others write UTF-8 without saying so, and what is UTF-8 is hardly ever CP437.
 * @throws Error if it leads out of the folder
 */
function nameIn({ generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: Entry): string {
  const name = getFileNameLowLevel(flags | (isUtf8(raw) ? 0x8_00 : 0), raw, extraFields, false)
  const problem = validateFileName(name) ?? (name.includes('\0') ? 'NUL in a name' : null)
  if (problem !== null) throw new Error(`it holds a file that belongs elsewhere: ${problem}`)
  return name
}
