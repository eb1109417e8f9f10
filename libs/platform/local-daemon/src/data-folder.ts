import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import { repositoryFolder } from './programs.ts'

/** The folder that `npm start` creates in the repository. */
const NAME = '.daybook'

/**
 * Finds the data folder as git finds its own: `.daybook` in `folder`, else in the nearest folder above, else
 * in the user's home. Only a folder with a key counts. If there is none, it returns `fallback`, though that
 * may not exist.
 */
export function findDataFolder(folder: string, home = homedir(), fallback = defaultDataFolder()): string {
  for (let here = resolve(folder); ; here = dirname(here)) {
    if (existsSync(join(here, NAME, 'api-key'))) return join(here, NAME)
    if (dirname(here) === here) break
  }
  const ofUser = join(home, NAME)
  return existsSync(join(ofUser, 'api-key')) ? ofUser : fallback
}

/**
 * The data folder where nothing else is found or given. In the repository it is the `.daybook` that
 * `npm start` makes, wherever the command runs. Else it is the platform's place for data of the user:
 * `~/.local/share/daybook` or `$XDG_DATA_HOME/daybook`, `~/Library/Application Support/daybook`,
 * `%LOCALAPPDATA%\daybook\Data`.
 */
export function defaultDataFolder(): string {
  const repository = repositoryFolder()
  return repository === null ? resolve(envPaths('daybook', { suffix: '' }).data) : join(repository, NAME)
}

/** What a command line needs to find the data folder from here: ` --data-dir …`, or nothing. */
export function folderOption(dataDir: string): string {
  if (findDataFolder('.') === dataDir) return ''
  return ` --data-dir ${/^[\w@%+=:,./\\-]+$/u.test(dataDir) ? dataDir : JSON.stringify(dataDir)}`
}
