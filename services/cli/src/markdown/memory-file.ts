import type { MemoryWithContent } from '@daybook/client/documents/memory-content'
import { isKindName, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import type { KeyedInput } from '../import/formats/format.ts'
import { hash } from '../import/formats/values.ts'
import { parseMoment } from '../moment.ts'
import { kindOptions } from '../remember/kind-options.ts'
import type { MarkdownFile } from './front-matter.ts'

/*
 * A memory as a Markdown file: the field that says most is the text, all others stand in the front matter under the
 * names that they have in a memory.
 */

/** What a person may change in the file. The rest tells about the memory. */
export const COMMON_IN_FILE = [
  'agent',
  'labels',
  'categories',
  'importance',
  'context',
  'metadata',
  'occurredAt',
  'expiresAt',
] as const

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

/** Whether a file says which kind of memory it is. */
export function isMemoryFile({ fields }: MarkdownFile): boolean {
  return typeof fields['kind'] === 'string' && isKindName(fields['kind'])
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
  const input = { content: { [kind]: content }, ...common }
  return {
    ...input,
    idempotencyKey: `markdown:${id ?? hash(JSON.stringify(input))}`,
  } as unknown as KeyedInput
}
