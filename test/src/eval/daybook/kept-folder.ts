import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '../../support/daemon.ts'
import type { Collection } from '../collection.ts'

/** What decides what a data folder holds. Searching and ranking do not, so that they can be worked on without loading again. */
const STORED_BY = [
  'embeddings',
  'journal',
  'memory',
  'postgres',
  'projection',
  'lexical-index',
  'engines/pgvector',
]

/** The folder in `parent` for the collection as it is now, under the sources as they are now: others hold something else. */
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
