import { noteUses } from '@daybook/postgres/access/manage-keys'
import type { Database } from '@daybook/postgres/connect'
import type { Logger } from '@daybook/runtime/logger'

/** The least time between two notes of one key's use, in milliseconds. */
const NOTED_EVERY_MS = 60_000

/** How long a use waits to be written, with those of other keys, in milliseconds. */
const WRITE_AFTER_MS = 2_000

/** Notes when keys were last used. */
export interface KeyUses {
  /** Returns at once; the use is written later. At most one a minute is, for each key. */
  note(keyId: string): void
  /** Writes what waits. */
  stop(): Promise<void>
}

/** @param writeAfterMs how long a use waits, for tests */
export function createKeyUses(db: Database, logger: Logger, writeAfterMs = WRITE_AFTER_MS): KeyUses {
  const noted = new Map<string, number>()
  const waiting = new Map<string, Date>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  const write = async (): Promise<void> => {
    timer = null
    const uses = new Map(waiting)
    waiting.clear()
    if (uses.size === 0) return
    await noteUses(db, uses).catch((error: unknown) =>
      logger.warn({ error }, 'it could not be written when keys were last used'),
    )
  }
  return {
    note(keyId) {
      const now = Date.now()
      if ((noted.get(keyId) ?? 0) > now - NOTED_EVERY_MS) return
      noted.set(keyId, now)
      waiting.set(keyId, new Date(now))
      if (timer !== null) return
      timer = setTimeout(() => {
        writing = writing.then(write)
      }, writeAfterMs)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearTimeout(timer)
      await writing
      await write()
    },
  }
}
