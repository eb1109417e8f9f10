import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessOfKey, createApiKey, ensureApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'

/** A key that opens the project `default` and may run the whole Daybook, and where a person finds it. */
export interface DefaultKey {
  readonly key: string
  /** `in .daybook/api-key`, or the setting that it came from. */
  readonly place: string
}

/**
 * The key of the project `default`: the one of `DAYBOOK_DEFAULT_KEY`, which suits several gateways; else the one in
 * `<data folder>/api-key` with mode 0600, made on the first start. One there that the database does not know (the folder was
 * used with another database) is replaced.
 * @param db as the owner: the application may not make keys
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
