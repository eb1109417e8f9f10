import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import type { ImportItem } from '../formats/format.ts'
import { openForeign } from '../formats/open-foreign.ts'

/** A folder for the calling suite, which is removed after its tests. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-formats-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file into a folder, with the folders above it: a text as it is, else as JSON. @returns its path */
export function writeIn(folder: string, path: string, content: unknown): string {
  const whole = join(folder, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, typeof content === 'string' ? content : JSON.stringify(content))
  return whole
}

/** The format of a file, as an import tells it, and its items. */
export async function readForeign(
  path: string,
  given?: string,
): Promise<{ name: string | undefined; items: ImportItem[] }> {
  const file = await openForeign(path, given)
  const items: ImportItem[] = []
  if (file !== null) for await (const item of file.read()) items.push(item)
  return { name: file?.format.name, items }
}

/** What is remembered of each item; one that is not imported as it is. */
export const inputs = (items: readonly ImportItem[]) =>
  items.map((item) => ('input' in item ? item.input : item))
