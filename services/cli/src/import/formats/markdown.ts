import { readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { splitText } from '@daybook/memory/documents/split-text'
import { parseMoment } from '@daybook/runtime/units'
import { UsageError } from '../../command-line.ts'
import {
  inputFromMemoryFile,
  isMemoryFile,
  type MarkdownFile,
  parseMarkdown,
} from '../../markdown/memory-file.ts'
import { fileLeftOut, filesIn } from './files-in.ts'
import {
  encodingOf,
  hash,
  type ImportFormat,
  type ImportItem,
  type KeyedInput,
  listOf,
  metadataOf,
  momentOf,
} from './format.ts'

/** A folder of Markdown files, or one of them. */
export const markdown: ImportFormat = {
  name: 'markdown',
  description: 'a folder of Markdown files, such as an Obsidian vault, or one file',
}

/**
 * Reads a folder of Markdown files, or one of them: those of `daybook export --markdown` become the memories they were, all others
 * documents, with what their front matter says. Other files are counted.
 * @param name of it in messages
 * @throws UsageError if there is none
 */
export async function* readMarkdown(path: string, name = path): AsyncGenerator<ImportItem> {
  const root = (await stat(path)).isDirectory() ? path : null
  const { files, brokenLinks } = root === null ? { files: [path], brokenLinks: [] } : await filesIn(root)
  yield* brokenLinks
  const notes = root === null ? files : files.filter(isMarkdown)
  if (notes.length === 0) {
    const archives = files.some((file) => /\.zip$/iu.test(file))
      ? ', but archives: import each, or unpack them first'
      : ''
    throw new UsageError(`${name} cannot be imported: it holds no Markdown file (.md)${archives}`)
  }
  if (root !== null) for (const file of files) if (!isMarkdown(file)) yield fileLeftOut(relative(root, file))
  for (const file of notes) {
    const where = root === null ? basename(file) : relative(root, file)
    yield* readItem(
      file,
      where,
      basename(root ?? ''),
      await readFile(file).catch((error: unknown) => error as Error),
    )
  }
}

const isMarkdown = (path: string) => ['.md', '.markdown'].includes(extname(path).toLowerCase())

function* readItem(
  file: string,
  where: string,
  folder: string,
  bytes: Uint8Array | Error,
): Generator<ImportItem> {
  try {
    if (bytes instanceof Error) throw bytes
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    const parsed = parseMarkdown(text)
    const isMemory = isMemoryFile(parsed)
    if (parsed.problem !== undefined) yield { where, leftOut: 'unreadable front matters (kept as text)' }
    if (!isMemory) {
      if (text.trim() === '') return yield { where, leftOut: 'empty files' }
      // Some systems take the accents of a name apart: it is the same file.
      const path = where.normalize('NFC')
      for (const input of documentsFrom(parsed, path, join(folder.normalize('NFC'), path)))
        yield { where, input }
      return
    }
    const input = inputFromMemoryFile(parsed)
    if (typeof input === 'string') return yield { where, problem: input }
    const { id } = parsed.fields
    yield { where, input, id: typeof id === 'string' ? id : undefined }
  } catch (error) {
    yield { where, problem: `cannot be read: ${(error as Error).message}` }
  }
}

/**
 * The text stays as it is written, links and embeds too: the names in `[[Note|shown]]` are words of it, and the note itself is a document
 * of its own. Other names of the note stand above the text, where words and meaning find them. Of a note that is its properties
 * alone, these are the text. What is longer than a text may be becomes several documents.
 * @param externalId names the file, so that importing it again revises its document
 */
function documentsFrom({ fields, body }: MarkdownFile, path: string, externalId: string): KeyedInput[] {
  const others = new Map(Object.entries(fields))
  /** Takes the fields with these names out, whatever their capitals: Obsidian does not tell them apart. */
  const take = <Value>(names: readonly string[], read: (value: unknown) => Value | undefined): Value[] =>
    names.flatMap((name) =>
      [...others].flatMap(([given, value]) => {
        const found = given.toLowerCase() === name ? read(value) : undefined
        if (found === undefined) return []
        others.delete(given)
        return [found]
      }),
    )
  const [title = basename(path, extname(path))] = take(['title'], (value) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined,
  )
  const tags = take(['tags', 'tag'], (value) =>
    typeof value === 'number'
      ? [String(value)]
      : value === null || typeof value === 'boolean'
        ? undefined
        : listOf(value),
  ).flat()
  const aliases = Object.entries(fields).flatMap(([name, value]) =>
    ALIASES.has(name.toLowerCase()) ? namesIn(value).filter((alias) => alias !== title) : [],
  )
  const properties = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = body.trim() === '' ? properties.join('\n') : body
  const content = aliases.length === 0 ? text : `Also called: ${[...new Set(aliases)].join(', ')}\n\n${text}`
  let occurredAt: string | undefined
  // One date is when it happened; a second one stays in the metadata.
  take(['date', 'created', 'created_at'], (value) => {
    if (occurredAt !== undefined) return undefined
    occurredAt = dateIn(value)
    return occurredAt
  })
  // As diaries name their notes.
  occurredAt ??= dateIn(/^\d{4}-\d\d-\d\d(?=\D|$)/u.exec(basename(path))?.[0])
  const metadata = metadataOf({ ...Object.fromEntries(others), path })
  return splitText(content).map((part, at) => ({
    content: {
      document: {
        title,
        content: part,
        externalId: at === 0 ? externalId : `${externalId}#${at + 1}`,
      },
    },
    labels: [...new Set(tags.map((tag) => tag.replace(/^#/u, '')))],
    occurredAt,
    metadata,
    idempotencyKey: `markdown:${hash(externalId, JSON.stringify(fields), part)}`,
  }))
}

const ALIASES = new Set(['aliases', 'alias'])

/** Names have blanks in them, so only commas part those that are one text. */
const namesIn = (value: unknown): string[] =>
  typeof value === 'string' ? namesIn(value.split(',')) : Array.isArray(value) ? listOf(value) : []

const NAMED_MONTH =
  /^(?:\w+,? )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Za-z]{3,9},? \d{4}|[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd|th)?,? \d{4})$/u

/**
 * A date as people write it into front matter: also `2024-3-5`, `5 March 2024`, `[[2024-03-05]]`, `202403051020` and seconds or
 * milliseconds since 1970. Undefined if it is none, or if day and month cannot be told apart.
 */
function dateIn(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
    .trim()
    .replace(/^\[\[(.*?)(?:\|.*)?\]\]$/u, '$1')
  const digits = /^(?:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?)$/u.exec(text)
  if (/^\d{10}(?:\d{3})?$/u.test(text)) return momentOf(text)
  if (digits !== null) {
    const [, year, month, day, hour, minute = '00', second = '00'] = digits
    const date = `${year}-${month}-${day}`
    return dateIn(hour === undefined ? date : `${date} ${hour}:${minute}:${second}`)
  }
  const short = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/u.exec(text)
  if (short !== null) {
    const [, year, month = '', day = ''] = short
    return parseMoment(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`) ?? undefined
  }
  if (NAMED_MONTH.test(text))
    return momentOf(`${text.replace(/(\d)(?:st|nd|rd|th)/u, '$1').replace(' of ', ' ')} UTC`)
  return parseMoment(text) === null ? undefined : momentOf(text)
}
