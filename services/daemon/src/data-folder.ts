import { join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
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
