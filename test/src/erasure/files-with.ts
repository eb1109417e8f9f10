import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * The files of a folder, at any depth, in which the bytes of a text are.
 * @returns paths relative to the folder
 */
export function filesWith(folder: string, text: string): string[] {
  const bytes = Buffer.from(text)
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readIfThere(path).includes(bytes))
    .map((path) => relative(folder, path))
    .toSorted()
}

/** Servers remove files while they are read. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
