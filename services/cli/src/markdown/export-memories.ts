import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import { MEMORY } from '@daybook/client/documents/memory'
import { type MemoryWithContent, memoryContent, withContent } from '@daybook/client/documents/memory-content'
import { request } from '../client/request.ts'
import type { Connection } from '../settings.ts'
import { toMarkdown } from './front-matter.ts'
import { memoryFile } from './memory-file.ts'

const PAGE = graphql(
  `query ExportMemories($filter: MemoryFilter, $after: String) {
    memories(filter: $filter, first: 100, after: $after) {
      edges { node { ...Memory ...MemoryContent } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [MEMORY, memoryContent()],
)

/** What to export, and where to. */
export interface MemoriesExport {
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
    const { memories }: ResultOf<typeof PAGE> = await request(connection, PAGE, { filter, after })
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
