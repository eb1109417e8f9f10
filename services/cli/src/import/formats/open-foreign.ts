import { readdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { UsageError } from '../../command-line.ts'
import { claude } from './claude.ts'
import { chatgpt } from './conversation.ts'
import {
  type ForeignFile,
  hash,
  type ImportFormat,
  type ImportItem,
  isRecord,
  type JsonFormat,
  listOf,
  metadataOf,
  momentOf,
  readJson,
} from './format.ts'
import { markdown, readMarkdown } from './markdown.ts'

/** The memories in what mem0 gives: `get_all`, an export, or a list of its memories. Undefined if it is none of these. */
function memoriesIn(value: unknown): readonly unknown[] | undefined {
  const list = isRecord(value) ? (value['results'] ?? value['memories']) : value
  return Array.isArray(list) && list.some((one) => isRecord(one) && 'memory' in one) ? list : undefined
}

/** mem0's memories as notes. Its user becomes the context, its agent the agent, its categories the categories. */
const mem0: JsonFormat = {
  name: 'mem0',
  description: 'what mem0 gives by get_all or as an export, as JSON',
  fits: (value) => memoriesIn(value) !== undefined,
  *items(value) {
    for (const [index, memory] of (memoriesIn(value) ?? []).entries())
      yield isRecord(memory)
        ? toItem(memory, index)
        : { where: `memory ${index + 1}`, problem: `is no object: ${JSON.stringify(memory)}` }
  },
}

function toItem(memory: Record<string, unknown>, index: number): ImportItem {
  const { id, memory: text, user_id: user, agent_id: agent, run_id: run, categories, metadata } = memory
  const where = `memory ${String(id ?? index + 1)}`
  if (typeof text !== 'string' || text.trim() === '') return { where, problem: 'has no text' }
  const ends = momentOf(memory['expiration_date'])
  if (ends !== undefined && Date.parse(ends) <= Date.now()) return { where, leftOut: 'expired ones' }
  return {
    where,
    input: {
      content: { note: { text } },
      agent: typeof agent === 'string' ? agent : undefined,
      context: typeof user === 'string' ? user : undefined,
      categories: listOf(categories),
      labels: ['mem0'],
      occurredAt: momentOf(memory['created_at']),
      expiresAt: ends,
      metadata: metadataOf({ ...(isRecord(metadata) ? metadata : {}), mem0: id, run }),
      // mem0 changes a memory in place: the same id with another text revises it.
      idempotencyKey: `mem0:${typeof id === 'string' || typeof id === 'number' ? id : `:${hash(text)}`}`,
    },
  }
}

/** The formats that are one JSON value. A new one is a file beside this one and an entry here. */
const JSON_FORMATS: readonly JsonFormat[] = [mem0, chatgpt, claude]

/** What other programs write, in the order of the help. */
export const FORMATS: readonly ImportFormat[] = [markdown, ...JSON_FORMATS]

/** The file of an unpacked export that holds the conversations, as ChatGPT and Claude name it. */
const CONVERSATIONS = 'conversations.json'

/**
 * Opens what another program wrote. A JSON file is parsed once, whether its format is given or told by its content.
 * @param given the name of its format; told by name and content if undefined
 * @returns null if it is of no foreign format: JSON Lines, an exported journal, or not known
 * @throws UsageError if it is not of the given format
 */
export async function openForeign(path: string, given: string | undefined): Promise<ForeignFile | null> {
  const isFolder = (await stat(path)).isDirectory()
  if (isFolder && given !== markdown.name && (await readdir(path)).includes(CONVERSATIONS))
    return openForeign(join(path, CONVERSATIONS), given)
  const extension = extname(path).toLowerCase()
  const isMarkdown = isFolder || extension === '.md' || extension === '.markdown'
  if (given === undefined ? isMarkdown : given === markdown.name)
    return { format: markdown, read: () => readMarkdown(path) }
  if (given === undefined && extension !== '.json') return null
  const value = isFolder ? undefined : await readJson(path)
  const format = JSON_FORMATS.find((one) => (given ?? one.name) === one.name && one.fits(value))
  if (format !== undefined) return { format, read: () => format.items(value) }
  if (given === undefined) return null
  const { description } = FORMATS.find(({ name }) => name === given) ?? { description: given }
  throw new UsageError(`${path} cannot be imported as ${given}: it is not ${description}`)
}
