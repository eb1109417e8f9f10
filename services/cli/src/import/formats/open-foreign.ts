import { open, readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { UsageError } from '../../command-line.ts'
import { chatgpt } from './chatgpt.ts'
import { claude } from './claude.ts'
import { type ForeignFile, type ImportFormat, type JsonFormat, readJson } from './format.ts'
import { markdown, readMarkdown } from './markdown.ts'
import { mem0 } from './mem0.ts'
import { claudeMem, memoryService, serverMemory } from './memory-servers.ts'

/** The formats that are one JSON value. A new one is a file beside this one and an entry here. */
const JSON_FORMATS: readonly JsonFormat[] = [mem0, chatgpt, claude, serverMemory, memoryService, claudeMem]

/** What other programs write, in the order of the help. */
export const FORMATS: readonly ImportFormat[] = [markdown, ...JSON_FORMATS]

/** The files of an unpacked export that hold the conversations, as ChatGPT and Claude name them; large ones have several. */
const CONVERSATIONS = /^conversations(?:-\d+)?\.json$/u

/**
 * Opens what another program wrote. A JSON file is parsed once, whether its format is given or told by its content.
 * @param given the name of its format; told by name and content if undefined
 * @returns null if it is of no foreign format: JSON Lines, an exported journal, or not known
 * @throws UsageError if it is not of the given format
 */
export async function openForeign(path: string, given: string | undefined): Promise<ForeignFile | null> {
  const stats = await stat(path)
  const isFolder = stats.isDirectory()
  const entries = isFolder && given !== markdown.name ? (await readdir(path)).toSorted() : []
  const parts = entries.filter((one) => CONVERSATIONS.test(one))
  if (parts.length > 0) {
    const files = await Promise.all(parts.map((one) => openForeign(join(path, one), given)))
    const [first, ...others] = files.filter((file) => file !== null)
    if (first === undefined) return null
    const read = async function* () {
      for (const file of [first, ...others]) yield* file.read()
      for (const where of entries)
        if (extname(where) === '.json' && !parts.includes(where))
          yield { where, leftOut: 'files without conversations' }
    }
    return { format: first.format, read }
  }
  const extension = extname(path).toLowerCase()
  const isMarkdown = isFolder || extension === '.md' || extension === '.markdown'
  if (given === undefined ? isMarkdown : given === markdown.name)
    return { format: markdown, read: () => readMarkdown(path) }
  // A pipe can be read once only.
  const isLines = extension === '.jsonl' && stats.isFile()
  if (given === undefined && extension !== '.json' && !(isLines && (await isGraph(path)))) return null
  const value = isFolder ? undefined : await readJson(path)
  const format = JSON_FORMATS.find((one) => (given ?? one.name) === one.name && one.fits(value))
  if (format !== undefined) return { format, read: () => format.items(value) }
  if (given === undefined) return null
  const { description } = FORMATS.find(({ name }) => name === given) ?? { description: given }
  throw new UsageError(`${path} cannot be imported as ${given}: it is not ${description}`)
}

/** What a line of a knowledge graph has, in any order. The first one may be torn. */
const GRAPH = /^\uFEFF?\s*\{.*"type"\s*:\s*"(?:entity|relation)"/mu

/** Whether a file of JSON Lines is a knowledge graph, by its first bytes: other ones may be too large to be read whole. */
async function isGraph(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0)
  return GRAPH.test(buffer.toString('utf8', 0, bytesRead))
}
