import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPOSITORY } from '../support/daemon.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Where the peers' packages are installed: not beside Daybook's own, so that nobody's `npm ci` pays for them. */
export const PACKAGES = join(REPOSITORY, 'node_modules/.cache/daybook-contest')

/**
 * Installs what `package.json` here names, as its lock file says, unless that is there already. better-sqlite3 is compiled where no
 * built one can be downloaded, which takes three minutes.
 * @throws Error if npm fails
 */
export function installPackages(report: (line: string) => void): void {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (existsSync(join(PACKAGES, 'node_modules/mem0ai')) && lock(PACKAGES) === lock(HERE)) return
  report(`installing the peers' packages in ${PACKAGES}`)
  mkdirSync(PACKAGES, { recursive: true })
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(HERE, file), join(PACKAGES, file))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: PACKAGES, stdio: 'inherit' })
}

/** The version of an installed package; null if it is not installed. */
export function versionOf(name: string): string | null {
  const file = join(PACKAGES, 'node_modules', name, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null
}
