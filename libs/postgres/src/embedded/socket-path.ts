import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'

/**
 * The kernel's limit for the path of a Unix socket is 104 bytes on macOS and 108 on Linux, including the
 * final zero.
 */
const LONGEST_PATH = 103

/** Clients derive a socket's name from the port that they are given. */
export const SOCKET_PORT = 5432

/**
 * Where the embedded database listens: in the data folder. If that path is too long for a socket, in a folder
 * of the user's own in the system's temporary folder. Makes the folder, mode 0700.
 * @throws DaybookError CONFIGURATION if that folder belongs to another user, who could listen there in our
 * place
 */
export function socketPath(dataDir: string): string {
  const file = `.s.PGSQL.${SOCKET_PORT}`
  let path = join(dataDir, 'run', file)
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
    path = join(tmpdir(), `daybook-${userInfo().uid}-${id}`, file)
  }
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  refuseForeignFolder(folder)
  return path
}

function refuseForeignFolder(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  const mine = process.getuid === undefined || uid === process.getuid()
  if (!mine || (mode & 0o022) !== 0)
    throw new DaybookError(
      'CONFIGURATION',
      `The folder ${folder} is open to other users, so the embedded database cannot listen in it: remove it`,
    )
}
