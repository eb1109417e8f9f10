import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { InputOf, ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { MEMORY } from '@daybook/client/documents/memory'
import {
  contentOfKind,
  type MemoryWithContent,
  memoryContent,
  withContent,
} from '@daybook/client/documents/memory-content'
import { COMMON_DEFAULTS } from '@daybook/memory/common-fields'
import { isKindName, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { parseMoment } from '@daybook/runtime/units'
import { parse, stringify } from 'yaml'
import { request } from '../client/request.ts'
import { hash, type KeyedInput } from '../import/formats/format.ts'
import { kindOptions } from '../remember/remember-input.ts'
import type { Connection } from '../settings.ts'

/*
 * A memory as a Markdown file: the field that says most is the text, all others stand in the front matter under the
 * names that they have in a memory.
 */

/** What a person may change in the file. The rest tells about the memory, and what it supersedes is said of that one. */
const COMMON_IN_FILE = Object.keys(COMMON_DEFAULTS) as readonly (keyof typeof COMMON_DEFAULTS)[]

/** The field that becomes the text below the front matter; undefined if a kind has only names. */
const bodyField = (kind: KindName) => kindOptions(kind).find(({ main }) => main)?.field

/** The memory as a file that `inputFromMemoryFile` reads back. */
export function memoryFile(memory: MemoryWithContent): MarkdownFile {
  const kind = memory.kind.toLowerCase() as KindName
  const own = (memory.content[kind] ?? {}) as Readonly<Record<string, unknown>>
  const main = bodyField(kind)
  const fields: Record<string, unknown> = { id: memory.id, kind }
  for (const [field, value] of Object.entries(own))
    if (field !== main) fields[nameInMemory(kindNamed(kind), field)] = value
  for (const name of COMMON_IN_FILE) if (!isEmpty(memory[name])) fields[name] = memory[name]
  return {
    fields: { ...fields, createdAt: memory.createdAt, updatedAt: memory.updatedAt, version: memory.version },
    body: main === undefined ? '' : String(own[main] ?? ''),
  }
}

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  (typeof value === 'object' && Object.keys(value as object).length === 0)

/** Whether Daybook wrote the file: `kind: note` alone stands in the vaults of others too. */
export function isMemoryFile({ fields: { kind, id, createdAt } }: MarkdownFile): boolean {
  if (typeof kind !== 'string' || !isKindName(kind) || typeof createdAt !== 'string') return false
  return typeof id === 'string' && id.startsWith(`${kind}:`)
}

/**
 * The memory that a file describes. An unknown name in its front matter goes to the metadata.
 * @returns the problem if a moment cannot be read
 */
export function inputFromMemoryFile({ fields, body }: MarkdownFile): KeyedInput | string {
  const kind = fields['kind'] as KindName
  const definition = kindNamed(kind)
  const main = bodyField(kind)
  const content: Record<string, unknown> = {}
  const known = new Set<string>(['id', 'kind', 'createdAt', 'updatedAt', 'version', ...COMMON_IN_FILE])
  for (const [field, { shape }] of Object.entries(definition.fields)) {
    const name = nameInMemory(definition, field)
    const value = field === main ? body : fields[name]
    known.add(name)
    if (value === undefined || value === null || value === '') continue
    // A choice is an enum in the API: `closed` becomes CLOSED.
    content[field] = Array.isArray(shape) ? String(value).toUpperCase() : value
  }
  const common = Object.fromEntries(
    COMMON_IN_FILE.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const])),
  )
  for (const name of ['occurredAt', 'expiresAt']) {
    const value = common[name]
    if (typeof value !== 'string') continue
    const moment = parseMoment(value)
    if (moment === null) return `${name} is neither a date nor a time: ${value}`
    common[name] = moment
  }
  const extra = Object.entries(fields).filter(([name]) => !known.has(name))
  if (extra.length > 0)
    common['metadata'] = { ...Object.fromEntries(extra), ...(common['metadata'] as object | undefined) }
  const id = typeof fields['id'] === 'string' ? fields['id'] : null
  const input = { content: contentOfKind(kind, content), ...common }
  return { ...input, idempotencyKey: `markdown:${id ?? hash(JSON.stringify(input))}` }
}

/** A Markdown file taken apart. */
export interface MarkdownFile {
  /** The fields between the lines `---` at its beginning; empty if there are none. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What follows, without the line end at the end of the file. */
  readonly body: string
  /** Why the front matter cannot be read. It is in the body then. */
  readonly problem?: string
}

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/mu

/**
 * Takes a Markdown file with YAML front matter apart, as Obsidian, Basic Memory and Jekyll write it. Dates stay texts. Front
 * matter that is no YAML, or no list of names with values, is text like the rest.
 */
export function parseMarkdown(text: string): MarkdownFile {
  const whole = text.replace(/^\uFEFF/u, '')
  const found = whole.startsWith('---') ? FRONT_MATTER.exec(whole) : null
  if (found === null || found.index !== 0) return { fields: {}, body: withoutLastLineEnd(whole) }
  try {
    const fields = parseFields(found[1] ?? '')
    if (fields !== null && (typeof fields !== 'object' || Array.isArray(fields)))
      throw new Error('it is no list of names with values')
    return { fields: { ...fields }, body: withoutLastLineEnd(whole.slice(found[0].length)) }
  } catch (error) {
    return { fields: {}, body: withoutLastLineEnd(whole), problem: (error as Error).message }
  }
}

/** A line whose value has a colon of its own, as people write titles, and is neither quoted nor a list. */
const COLON_IN_VALUE = /^([\w-]+):[ \t]+(?!["'[{|>&*])(.*:(?:[ \t].*|$))$/gmu

/** The fields of a front matter; if it is no YAML, with what its colons hold together. @throws YAMLParseError */
function parseFields(yaml: string): unknown {
  try {
    return parse(yaml, { schema: 'core' })
  } catch (error) {
    const quoted = yaml.replace(
      COLON_IN_VALUE,
      (_, name, value) => `${name}: ${JSON.stringify(value.trim())}`,
    )
    if (quoted === yaml) throw error
    return parse(quoted, { schema: 'core' })
  }
}

/** The opposite of `parseMarkdown`. */
export function toMarkdown({ fields, body }: MarkdownFile): string {
  // Folded lines would be hard to edit by hand.
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n${body}\n`
}

const withoutLastLineEnd = (text: string) => text.replace(/\r?\n$/u, '')

const PAGE = queries.memories(
  'edges { node { ...Memory ...MemoryContent } } pageInfo { hasNextPage endCursor }',
  [MEMORY, memoryContent()],
)

/** What to export, and where to. */
interface MemoriesExport {
  readonly connection: Connection
  readonly folder: string
  readonly filter: InputOf<'MemoryFilter'>
  /** Ends the export after the page under way. */
  readonly signal: AbortSignal
  readonly onProgress: (written: number) => void
}

/**
 * Writes each memory as a Markdown file, in a folder for its kind. A file of an earlier export is replaced, also if the memory has
 * another title since.
 * @returns how many were written; `complete` is false if the signal ended it
 */
export async function exportMemories({
  connection,
  folder,
  filter,
  signal,
  onProgress,
}: MemoriesExport): Promise<{ written: number; complete: boolean }> {
  const earlier = await filesByTail(folder)
  const made = new Set<string>()
  let written = 0
  for (let after: string | null = null; ; ) {
    const { memories }: ResultOf<typeof PAGE> = await request(connection, PAGE, { filter, first: 100, after })
    for (const { node } of memories.edges) {
      const memory = withContent(node)
      const path = pathOf(memory)
      const replaced = earlier.get(tailOf(memory.id))
      if (replaced !== undefined && replaced !== path) await rm(join(folder, replaced), { force: true })
      const ofKind = join(folder, memory.kind.toLowerCase())
      if (!made.has(ofKind)) await mkdir(ofKind, { recursive: true })
      made.add(ofKind)
      await writeFile(join(folder, path), toMarkdown(memoryFile(memory)))
      written += 1
    }
    onProgress(written)
    if (!memories.pageInfo.hasNextPage) return { written, complete: true }
    if (signal.aborted) return { written, complete: false }
    after = memories.pageInfo.endCursor ?? null
  }
}

/** Characters of a title in a file name. */
const SLUG = 60

/** `decision/we-take-postgres-3f0e5a6b7c8d.md`: readable, and of this memory alone. */
function pathOf({ id, kind, title }: MemoryWithContent): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '')
  const short = [...slug].slice(0, SLUG).join('').replace(/-+$/u, '')
  return join(kind.toLowerCase(), `${short === '' ? 'memory' : short}-${tailOf(id)}.md`)
}

/** The random end of a memory's id. */
const tailOf = (id: string) => id.slice(-12)

async function filesByTail(folder: string): Promise<ReadonlyMap<string, string>> {
  await mkdir(folder, { recursive: true })
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .flatMap((path) => {
        const tail = /-([0-9a-f]{12})\.md$/u.exec(basename(path))?.[1]
        return tail === undefined ? [] : [[tail, path] as const]
      }),
  )
}
