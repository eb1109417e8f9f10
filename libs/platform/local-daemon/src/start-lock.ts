import { join } from 'node:path'
import { type ExclusiveLock, takeLock } from '@daybook/runtime/exclusive-lock'

/**
 * The lock of whoever starts a data folder's daemon: while it is held, other clients wait for that start instead of making
 * another. @returns null if somebody has it
 */
export const takeStartLock = (dataDir: string): ExclusiveLock | null =>
  takeLock(join(dataDir, 'daemon-start.lock'))
