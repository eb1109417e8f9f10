import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isBare, ofServer } from '@daybook/runtime/testing/needs'

/** Why there is no native server to test on. The message is for the person who runs the tests. */
export class NoNativeServerError extends Error {}

/**
 * The folder with `initdb` and `postgres`. Debian keeps those off the PATH, in one folder per version.
 * @throws NoNativeServerError
 */
export function findBinaries(): string {
  if (isBare()) throw new NoNativeServerError('servers of this machine are not looked for')
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ].filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (folders.length === 0) throw new NoNativeServerError('no Postgres server is installed here')
  const withPgvector = folders.find(hasPgvector)
  if (withPgvector === undefined)
    throw new NoNativeServerError(`pgvector is not installed for the Postgres in ${folders.join(', ')}`)
  return withPgvector
}

function hasPgvector(bin: string): boolean {
  try {
    const share = execFileSync(join(bin, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim()
    return existsSync(join(share, 'extension', 'vector.control'))
  } catch {
    return false
  }
}

/**
 * The user that the server runs as. Postgres refuses root, so for root it is the system's user `postgres`;
 * null for the current user.
 */
export function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres')
  if (entry === undefined)
    throw new NoNativeServerError('Postgres refuses to run as root, and there is no system user "postgres"')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** For suites that start servers of their own. */
export const OWN_POSTGRES = ofServer('Postgres servers that are killed', whyNone())

/** Why there is no server to start here; null if there is one. */
export function whyNone(): string | null {
  try {
    findBinaries()
    serverUser()
    return null
  } catch (error) {
    if (error instanceof NoNativeServerError) return error.message
    throw error
  }
}
