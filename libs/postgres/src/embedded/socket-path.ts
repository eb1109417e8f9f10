import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** The kernel's limit on a Unix socket's path is 104 bytes on macOS and 108 on Linux, the closing zero included. */
const LONGEST_PATH = 103

/**
 * Where the embedded database listens: in the data folder, or where that path is too long for a socket, in a folder of
 * the user's own under the system's temporary one. Makes the folder, mode 0700.
 */
export function socketPath(dataDir: string): string {
  const file = '.s.PGSQL.5432'
  let path = join(dataDir, 'run', file)
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
    path = join(tmpdir(), `daybook-${userInfo().uid}-${id}`, file)
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}
