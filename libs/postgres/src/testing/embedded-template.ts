import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLogger } from '@daybook/runtime/logger'
import { startEmbeddedDatabase } from '../embedded/start.ts'

/**
 * Puts an empty cluster into `dataDir`, as PGlite itself makes one at its first start. That takes it 3 s, copying 0.4 s,
 * and nearly every suite needs one. The template is kept by PGlite's version and holds nothing of ours.
 */
export async function copyEmptyCluster(dataDir: string): Promise<void> {
  const packageFile = fileURLToPath(new URL('../package.json', import.meta.resolve('@electric-sql/pglite')))
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  const cache = join(dirname(packageFile), '../../.cache/daybook-test')
  const template = join(cache, `pglite-${version}`)
  if (!existsSync(template)) await makeTemplate(cache, template)
  cpSync(template, join(dataDir, 'postgres'), { recursive: true })
}

async function makeTemplate(cache: string, template: string): Promise<void> {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'new-'))
  const embedded = await startEmbeddedDatabase(folder, silentLogger)
  await embedded.stop()
  try {
    renameSync(join(folder, 'postgres'), template)
  } catch (error) {
    // Another worker was quicker.
    if (!existsSync(template)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
