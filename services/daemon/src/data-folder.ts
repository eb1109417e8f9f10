import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import { accessOfKey, createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { type ExclusiveLock, lockHolder, takeLock } from '@daybook/runtime/exclusive-lock'

/**
 * Takes the data folder for this process.
 * @throws DaybookError LOCKED naming the daemon that has it
 */
export function lockDataFolder(dataDir: string): ExclusiveLock {
  const path = join(dataDir, 'daemon.lock')
  const lock = takeLock(path)
  if (lock !== null) return lock
  const { pid, url } = lockHolder(path)
  const who = [pid === undefined ? '' : `process ${pid}`, typeof url === 'string' ? `at ${url}` : '']
    .filter(Boolean)
    .join(' ')
  throw new DaybookError(
    'LOCKED',
    `Another Daybook${who ? ` (${who})` : ''} uses the data folder ${dataDir}.\n` +
      'Use that one, stop it, or give this one a folder of its own with DAYBOOK_DATA_DIR.',
  )
}

/**
 * The key of the project `default`, in `<data folder>/api-key` with mode 0600; both are made on the first start. A key
 * that the database does not know (the folder was used with another database) is replaced.
 */
export async function ensureDefaultKey(
  db: Database,
  dataDir: string,
): Promise<{ key: string; path: string }> {
  const path = join(dataDir, 'api-key')
  if (existsSync(path)) {
    const key = readFileSync(path, 'utf8').trim()
    if ((await accessOfKey(db, key)) !== null) return { key, path }
  }
  const key = await createApiKey(db, await ensureProject(db, 'default'), 'default')
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return { key, path }
}
