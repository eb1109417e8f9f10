import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { LIMITS } from '@daybook/memory/limits'
import { parseMoment, UsageError } from '../../command-line.ts'
import {
  inputFromMemoryFile,
  isMemoryFile,
  type MarkdownFile,
  parseMarkdown,
} from '../../markdown/memory-file.ts'
import { hash, type ImportFormat, type ImportItem, type KeyedInput, listOf, metadataOf } from './format.ts'

/** A folder of Markdown files, or one of them. */
export const markdown: ImportFormat = {
  name: 'markdown',
  description: 'a folder of Markdown files, such as an Obsidian vault, or one file',
}

/**
 * Reads a folder of Markdown files, or one of them: those of `daybook export --markdown` become the memories they were, all others
 * documents, with what their front matter says. Folders whose name begins with a dot are passed over, such as `.obsidian`.
 * @throws UsageError if there is none
 */
export async function* readMarkdown(path: string): AsyncGenerator<ImportItem> {
  const root = (await stat(path)).isDirectory() ? path : null
  const files = root === null ? [path] : await markdownFilesIn(root)
  if (files.length === 0) throw new UsageError(`${path} cannot be imported: it holds no Markdown file (.md)`)
  for (const file of files) {
    const where = root === null ? basename(file) : relative(root, file)
    yield await readItem(file, where, basename(root ?? ''))
  }
}

/** @returns paths in a stable order, so that an import that goes on meets them as before */
async function markdownFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && ['.md', '.markdown'].includes(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !relative(folder, path).split(/[/\\]/u).some(isPassedOver))
    .toSorted()
}

const isPassedOver = (name: string) => name.startsWith('.') || name === 'node_modules'

async function readItem(file: string, where: string, folder: string): Promise<ImportItem> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
    const parsed = parseMarkdown(text)
    const isMemory = isMemoryFile(parsed)
    const input = isMemory ? inputFromMemoryFile(parsed) : documentFrom(parsed, where, join(folder, where))
    if (typeof input === 'string') return { where, problem: input }
    const { id } = parsed.fields
    return { where, input, id: isMemory && typeof id === 'string' ? id : undefined }
  } catch (error) {
    return { where, problem: `cannot be read: ${(error as Error).message}` }
  }
}

/** Front matter that has a field of its own in a memory, by the names that Obsidian, Basic Memory and Jekyll use. */
const MOVED = new Set(['title', 'tags', 'tag', 'date', 'created', 'created_at'])

/**
 * @param externalId names the file, so that importing it again revises its document
 * @returns the problem if there is no text
 */
function documentFrom({ fields, body }: MarkdownFile, path: string, externalId: string): KeyedInput | string {
  if (body.trim() === '') return 'has no text'
  const title = typeof fields['title'] === 'string' ? fields['title'] : basename(path, extname(path))
  const created = [fields['date'], fields['created'], fields['created_at']].find(
    (one) => typeof one === 'string',
  )
  const others = Object.entries(fields).filter(([name]) => !MOVED.has(name))
  const key = hash(externalId, JSON.stringify(fields), body)
  return {
    content: { document: { title: title.slice(0, LIMITS.nameCharacters), content: body, externalId } },
    labels: listOf(fields['tags'] ?? fields['tag']).map((tag) => tag.replace(/^#/u, '')),
    occurredAt: typeof created === 'string' ? (parseMoment(created) ?? undefined) : undefined,
    metadata: metadataOf({ ...Object.fromEntries(others), path }),
    idempotencyKey: `markdown:${key}`,
  }
}
