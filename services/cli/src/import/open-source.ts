import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { UsageError } from '../cli-error.ts'

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
}

/** The error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): UsageError {
  const { code, message } = error as NodeJS.ErrnoException
  return new UsageError(`${path} cannot be imported: ${REASONS[code ?? ''] ?? message}`)
}

/** Opens a file, or standard input for "-". The size is null where it is not known. @throws UsageError */
export async function openSource(file: string): Promise<{ source: Readable; totalBytes: number | null }> {
  if (file === '-') return { source: process.stdin, totalBytes: null }
  try {
    const handle = await open(file)
    const stats = await handle.stat()
    if (stats.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
    return {
      source: createReadStream('', { fd: handle, highWaterMark: 256 * 1024 }),
      totalBytes: stats.isFile() ? stats.size : null,
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}
