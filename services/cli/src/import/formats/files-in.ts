import { readdir, realpath, stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { ImportItem } from './format.ts'

/**
 * The files of a folder, those behind symbolic links too, each file and folder once. What begins with a dot is passed over, such as
 * `.obsidian`.
 * @returns paths in a stable order, so that an import that goes on meets them as before
 */
export async function filesIn(folder: string): Promise<{
  readonly files: readonly string[]
  readonly brokenLinks: readonly ImportItem[]
}> {
  const [files, brokenLinks]: [string[], ImportItem[]] = [[], []]
  const seen = new Set<string>()
  const links: string[] = []
  const visit = async (path: string): Promise<void> => {
    const real = await realpath(path).catch(() => null)
    if (real === null)
      return void brokenLinks.push({ where: relative(folder, path), leftOut: 'broken links' })
    if (seen.has(real)) return
    seen.add(real)
    const stats = await stat(real)
    if (stats.isDirectory()) {
      for (const entry of await readdir(path, { withFileTypes: true })) {
        if (isPassedOver(entry.name)) continue
        if (entry.isSymbolicLink()) links.push(join(path, entry.name))
        else await visit(join(path, entry.name))
      }
    } else if (stats.isFile()) files.push(path)
  }
  await visit(folder)
  // A file has its own place before that of a link to it.
  for (let link = links.shift(); link !== undefined; link = links.shift()) await visit(link)
  return { files: files.toSorted(), brokenLinks }
}

const isPassedOver = (name: string) => name.startsWith('.') || name === 'node_modules'

/** A file that no format reads, counted by its extension: `files (.png)`. */
export function fileLeftOut(where: string): ImportItem {
  const extension = extname(where).toLowerCase()
  return { where, leftOut: extension === '' ? 'files' : `files (${extension})` }
}
