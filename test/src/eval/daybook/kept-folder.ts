import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../../support/daemon.ts'
import type { Collection } from '../collection.ts'

/**
 * The sources that decide the content of a data folder. Search and ranking do not, so changing them needs no
 * new load.
 */
const STORED_BY = [
  'embeddings',
  'journal',
  'memory',
  'postgres',
  'projection',
  'lexical-index',
  'engines/pgvector',
]

/**
 * The folder in `parent` for this collection and the current sources. Other collections or sources have other
 * folders.
 */
export function keptFolder(parent: string, { groups }: Collection): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(groups.map(({ name, memories }) => [name, memories])))
  for (const lib of STORED_BY) {
    const folder = join(REPOSITORY, 'libs', lib, 'src')
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted())
      if (file.endsWith('.ts') && !file.endsWith('.test.ts')) hash.update(readFileSync(join(folder, file)))
  }
  return join(parent, hash.digest('hex').slice(0, 16))
}
