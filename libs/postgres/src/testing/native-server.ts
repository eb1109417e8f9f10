import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries, serverUser } from './native-binaries.ts'
import { type NativeServer, runServer } from './running-server.ts'

/**
 * Starts the newest Postgres of this machine that has pgvector. It uses a temporary folder and listens on a
 * Unix socket there, not on a port. If we are root, it runs as the system's user `postgres`, because Postgres
 * refuses root. Stopping it removes the folder.
 * @throws NoNativeServerError if there is none
 */
export async function startNativeServer(): Promise<NativeServer> {
  const folder = makeServerFolder()
  try {
    // A throw-away cluster need not survive a power cut while it is made; later, fsync is on as usual.
    execFileSync(
      join(findBinaries(), 'initdb'),
      [
        '--no-sync',
        '--username=postgres',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
        join(folder, 'data'),
      ],
      { ...serverUser(), cwd: folder, stdio: 'pipe' },
    )
    return await runInFolder(folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Runs the server whose data is in the folder. Stopping it removes the folder. */
export async function runInFolder(folder: string): Promise<NativeServer> {
  const server = await runServer(folder)
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A temporary folder that the server's user may write to. */
export function makeServerFolder(): string {
  const owner = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-native-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  return folder
}
