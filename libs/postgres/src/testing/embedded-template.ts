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
import { createRequire } from 'node:module'
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
export async function copyEmptyCluster(dataDir: string): Promise<void> {
  const template = join(TEST_CACHE, `pglite-${pgliteVersion()}`)
  if (!existsSync(template)) await makeTemplate(template, async () => {})
  copyCluster(template, dataDir)
}

/** The same with all migrations applied, which takes another 2 s. */
export async function copyMigratedCluster(dataDir: string): Promise<void> {
  const template = migratedTemplate()
  await ensureMigrated(template)
  copyCluster(template, dataDir)
}

/** The folder of a cluster with all migrations applied. Its name has a hash of the migrations. */
export const migratedTemplate = () => join(TEST_CACHE, `pglite-${pgliteVersion()}-${migrationsHash()}`)

/** Makes that folder if it is not there. */
export async function ensureMigrated(template: string): Promise<void> {
  if (!existsSync(template))
    await makeTemplate(template, async (address) => {
      await migrate(address)
    })
}

/** Copies the folder of a cluster into a data folder. */
export function copyCluster(from: string, dataDir: string): void {
  cpSync(from, join(dataDir, 'postgres'), { recursive: true })
}

async function makeTemplate(
  template: string,
  fill: (address: DatabaseAddress) => Promise<void>,
): Promise<void> {
  mkdirSync(TEST_CACHE, { recursive: true })
  const folder = mkdtempSync(join(TEST_CACHE, 'new-'))
  try {
    const embedded = await startEmbeddedDatabase(folder, silentLogger, { fsync: false })
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
  join(dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite')), '../package.json')

/** Where runs of tests keep what the next one need not make again. */
export const TEST_CACHE = join(dirname(pglitePackage()), '../../.cache/daybook-test')

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
