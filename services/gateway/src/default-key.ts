import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessOfKey, createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'

/** A key that opens the project `default`, and the file that holds it. */
export interface DefaultKey {
  readonly key: string
  readonly path: string
}

/**
 * The key of the project `default`, in `<data folder>/api-key` with mode 0600; both are made on the first start. A key
 * that the database does not know (the folder was used with another database) is replaced. Gateways with folders of their
 * own have keys of their own.
 */
export async function ensureDefaultKey(db: Database, dataDir: string): Promise<DefaultKey> {
  const path = join(dataDir, 'api-key')
  if (existsSync(path)) {
    const key = readFileSync(path, 'utf8').trim()
    if ((await accessOfKey(db, key)) !== null) return { key, path }
  }
  const key = await createApiKey(db, await ensureProject(db, 'default'), 'default')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return { key, path }
}
