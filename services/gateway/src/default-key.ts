import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessOfKey, createApiKey, ensureApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'

/** The key that opens the project `default` and may run the whole Daybook. */
export interface DefaultKey {
  readonly key: string
  /** Where a person finds it: `in .daybook/api-key`, or the setting it came from. */
  readonly place: string
}

/**
 * Provides the key of the project `default`. It is `DAYBOOK_DEFAULT_KEY`, which several gateways can share;
 * else the key in `<data folder>/api-key`, made at the first start with mode 0600. If the database does not
 * know the key in that file (the folder was used with another database), it is replaced.
 * @param db the owner's handle: the application's role may not create keys
 */
export async function ensureDefaultKey(db: Database, { dataDir, defaultKey }: Config): Promise<DefaultKey> {
  if (defaultKey !== undefined) {
    await ensureApiKey(db, await ensureProject(db, 'default'), 'default', defaultKey, { admin: true })
    return { key: defaultKey, place: 'the one of DAYBOOK_DEFAULT_KEY' }
  }
  const path = join(dataDir, 'api-key')
  const place = `in ${path}`
  if (existsSync(path)) {
    const key = readFileSync(path, 'utf8').trim()
    if ((await accessOfKey(db, key)) !== null) return { key, place }
  }
  const key = await createApiKey(db, await ensureProject(db, 'default'), 'default', { admin: true })
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return { key, place }
}
