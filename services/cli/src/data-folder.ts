import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The folder that `npm start` creates in the current folder. */
const NAME = '.daybook'

/**
 * Finds the data folder as git finds its own: `.daybook` in `folder`, else in the nearest folder above, else
 * in the user's home. Only a folder with a key counts. If there is none, it returns `.daybook` in `folder`,
 * though that does not exist.
 */
export function findDataFolder(folder: string, home = homedir()): string {
  for (let here = resolve(folder); ; here = dirname(here)) {
    if (existsSync(join(here, NAME, 'api-key'))) return join(here, NAME)
    if (dirname(here) === here) break
  }
  const ofUser = join(home, NAME)
  return existsSync(join(ofUser, 'api-key')) ? ofUser : resolve(folder, NAME)
}

/** The address that the daemon of a data folder serves; null if none runs there. */
export function servedAt(dataDir: string): string | null {
  try {
    const lock = JSON.parse(readFileSync(join(dataDir, 'daemon.lock'), 'utf8')) as Record<string, unknown>
    // The file may outlive its daemon. Signal 0 only asks whether the process exists.
    process.kill(Number(lock['pid']), 0)
    return typeof lock['url'] === 'string' ? lock['url'] : null
  } catch {
    return null
  }
}
