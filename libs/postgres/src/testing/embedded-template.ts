import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@daybook/runtime/logger'
import type { DatabaseAddress } from '../connect.ts'
import { startEmbeddedDatabase } from '../embedded/start.ts'
import { migrate } from '../migrate.ts'

/**
 * Puts an empty cluster into `dataDir`, such as PGlite makes at its first start. That takes PGlite 3 s and
 * copying 0.4 s, and nearly every suite needs one. The template is cached by PGlite's version and contains
 * nothing of ours.
 */
export function copyEmptyCluster(dataDir: string): Promise<void> {
  return copyTemplate(`pglite-${pgliteVersion()}`, dataDir, async () => {})
}

/** The same with all migrations applied, which takes another 2 s. Cached by a hash of the migrations. */
export function copyMigratedCluster(dataDir: string): Promise<void> {
  return copyTemplate(`pglite-${pgliteVersion()}-${migrationsHash()}`, dataDir, async (address) => {
    await migrate(address)
  })
}

async function copyTemplate(
  name: string,
  dataDir: string,
  fill: (address: DatabaseAddress) => Promise<void>,
): Promise<void> {
  const cache = join(dirname(pglitePackage()), '../../.cache/daybook-test')
  const template = join(cache, name)
  if (!existsSync(template)) await makeTemplate(cache, template, fill)
  cpSync(template, join(dataDir, 'postgres'), { recursive: true })
}

async function makeTemplate(
  cache: string,
  template: string,
  fill: (address: DatabaseAddress) => Promise<void>,
): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'new-'))
  try {
    const embedded = await startEmbeddedDatabase(folder, silentLogger)
    await fill(embedded.address).finally(embedded.stop)
    renameSync(join(folder, 'postgres'), template)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(template)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const pglitePackage = () =>
  fileURLToPath(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')))

function pgliteVersion(): string {
  return (JSON.parse(readFileSync(pglitePackage(), 'utf8')) as { version: string }).version
}

/** A hash of the sources that make a database: the migrations and the files of this library's `src`. */
function migrationsHash(): string {
  const hash = createHash('sha256')
  for (const folder of ['../', '../migrations/'].map((path) => fileURLToPath(new URL(path, import.meta.url))))
    for (const name of readdirSync(folder).toSorted())
      if (name.endsWith('.ts') && !name.endsWith('.test.ts'))
        hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 16)
}
