import { readFile, stat } from 'node:fs/promises'
import { sizeInWords } from '@daybook/memory/size-in-words'
import { UsageError } from '../../cli-error.ts'

/** Node's longest string is little more than 512 MiB, so a larger file cannot be parsed. */
const LARGEST = 500 * 1024 * 1024

/** Parses a file as one JSON value. @returns undefined if it is none. @throws UsageError if it is too large */
export async function readJson(path: string): Promise<unknown> {
  const { size } = await stat(path)
  if (size > LARGEST)
    throw new UsageError(`${path} cannot be imported: it is larger than ${sizeInWords(LARGEST)}; split it`)
  const text = await readFile(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
