import { open, readdir, stat } from 'node:fs/promises'
import { basename, extname, relative } from 'node:path'
import { UsageError } from '../../command-line.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { fileLeftOut, filesIn } from './files-in.ts'
import { type ForeignFile, type ImportFormat, type JsonFormat, readJson } from './format.ts'
import { markdown, readMarkdown } from './markdown.ts'
import { mem0 } from './mem0.ts'
import { claudeMem, memoryService, serverMemory } from './memory-servers.ts'

/** The formats that are one JSON value. A new one is a file beside this one and an entry here. */
const JSON_FORMATS: readonly JsonFormat[] = [mem0, chatgpt, claude, serverMemory, memoryService, claudeMem]

/** What other programs write, in the order of the help. */
export const FORMATS: readonly ImportFormat[] = [markdown, ...JSON_FORMATS]

/** The formats whose export is a folder of several files. */
const EXPORTS: readonly JsonFormat[] = [chatgpt, claude]

/** What stands at the top of an unpacked export: large ones have several files, and Claude's newer ones a folder for each archive. */
const EXPORTED = /^(?:conversations|projects|memories)(?:(?:-\d+)?\.json|-\d{3})$/u

/** The files that hold the conversations. */
const CONVERSATIONS = /^conversations(?:-\d+)?\.json$/u

/**
 * Opens what another program wrote. A JSON file is parsed once, whether its format is given or told by its content.
 * @param given the name of its format; told by name and content if undefined
 * @param name of it in messages; an archive's, where that was unpacked
 * @returns null if it is of no foreign format: JSON Lines, an exported journal, or not known
 * @throws UsageError if it is not of the given format
 */
export async function openForeign(
  path: string,
  given: string | undefined,
  name = path,
): Promise<ForeignFile | null> {
  const stats = await stat(path)
  const isFolder = stats.isDirectory()
  if (isFolder && given !== markdown.name) {
    const found = await openExport(path, given)
    if (found !== null) return found
  }
  const extension = extname(path).toLowerCase()
  const isMarkdown = isFolder || extension === '.md' || extension === '.markdown'
  if (given === undefined ? isMarkdown : given === markdown.name)
    return { format: markdown, read: () => readMarkdown(path, name) }
  // A pipe can be read once only.
  const isLines = extension === '.jsonl' && stats.isFile()
  if (given === undefined && extension !== '.json' && !(isLines && (await isGraph(path)))) return null
  const value = isFolder ? undefined : await readJson(path)
  const format = JSON_FORMATS.find((one) => (given ?? one.name) === one.name && one.fits(value))
  if (format !== undefined) return { format, read: () => format.items(value) }
  if (given === undefined) return null
  const { description } = FORMATS.find((one) => one.name === given) ?? { description: given }
  throw new UsageError(`${name} cannot be imported as ${given}: it is not ${description}`)
}

/** Opens an unpacked export, whose files are read as one. @returns null if the folder is none */
async function openExport(folder: string, given: string | undefined): Promise<ForeignFile | null> {
  if (!(await readdir(folder)).some((name) => EXPORTED.test(name))) return null
  const { files, brokenLinks } = await filesIn(folder)
  const parts: { readonly where: string; readonly value: unknown }[] = []
  // Conversations first, so that their numbers in messages are those of their file.
  for (const file of [...files.filter(isOfConversations), ...files.filter((one) => !isOfConversations(one))])
    parts.push({
      where: relative(folder, file),
      value: extname(file).toLowerCase() === '.json' ? await readJson(file) : undefined,
    })
  const format = EXPORTS.find(
    ({ name, fits }) => (given ?? name) === name && parts.some(({ value }) => fits(value)),
  )
  if (format === undefined) return null
  return {
    format,
    *read() {
      yield* brokenLinks
      yield* format.items(parts.flatMap(({ value }) => (format.fits(value) ? value : [])))
      for (const { where, value } of parts)
        if (!format.fits(value))
          yield isOfConversations(where) && !isEmptyList(value)
            ? { where, problem: 'holds no conversations' }
            : fileLeftOut(where)
    },
  }
}

const isOfConversations = (path: string) => CONVERSATIONS.test(basename(path))

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/** What a line of a knowledge graph has, in any order. The first one may be torn. */
const GRAPH = /^\uFEFF?\s*\{.*"type"\s*:\s*"(?:entity|relation)"/mu

/** Whether a file of JSON Lines is a knowledge graph, by its first bytes: other ones may be too large to be read whole. */
async function isGraph(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0)
  return GRAPH.test(buffer.toString('utf8', 0, bytesRead))
}
