import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The folder that `npm start` makes where it is run. */
const NAME = '.daybook'

/**
 * The data folder of whoever is in `folder`: its `.daybook`, else that of the nearest folder above, as with git, else the one in the
 * user's home; one counts where it holds a key. Where none does, `.daybook` in `folder` itself, which does not exist then.
 */
export function findDataFolder(folder: string, home = homedir()): string {
  for (let here = resolve(folder); ; here = dirname(here)) {
    if (existsSync(join(here, NAME, 'api-key'))) return join(here, NAME)
    if (dirname(here) === here) break
  }
  const ofUser = join(home, NAME)
  return existsSync(join(ofUser, 'api-key')) ? ofUser : resolve(folder, NAME)
}

/** Where the daemon of a data folder says that it serves; null where none runs there. */
export function servedAt(dataDir: string): string | null {
  try {
    const lock = JSON.parse(readFileSync(join(dataDir, 'daemon.lock'), 'utf8')) as Record<string, unknown>
    // The file outlives its daemon; signal 0 only asks whether the process is there.
    process.kill(Number(lock['pid']), 0)
    return typeof lock['url'] === 'string' ? lock['url'] : null
  } catch {
    return null
  }
}
