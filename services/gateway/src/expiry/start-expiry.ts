import { hostname } from 'node:os'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import type { LeaseOwner } from '@daybook/postgres/lease'
import { type Activity, ALWAYS_ACTIVE } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { repeat } from '@daybook/runtime/repeat'
import { createAlarm } from './alarm.ts'
import { expireDue } from './expire-due.ts'

/** The expiry of memories, at work. */
export interface Expiry {
  /** Says that a memory expires at this moment (RFC 3339), so that nobody has to look for it. */
  note(expiresAt: string): void
  stop(): Promise<void>
}

/** The parts of the expiry. */
export interface ExpiryOptions {
  /** Bound to no project. */
  readonly db: Database
  readonly writer: JournalWriter
  readonly logger: Logger
  readonly activity?: Activity | undefined
  /** Milliseconds between looks. Default 10,000: the longest delay of what another process wrote. */
  readonly lookMs?: number
}

/** A lease is renewed with each page of memories. One takes much less than 30 s. */
const LEASE_MS = 30_000

/**
 * Forgets memories when their `expiresAt` has passed, with an event. It looks for the next one, and sleeps until
 * then. While nobody uses the process it looks as rarely as everything else, but does not miss that moment.
 * Searches leave out what has expired from its moment on, also if the event comes late.
 */
export function startExpiry({
  db,
  writer,
  logger,
  activity = ALWAYS_ACTIVE,
  lookMs = 10_000,
}: ExpiryOptions): Expiry {
  const owner: LeaseOwner = { name: `${hostname()} ${process.pid} ${newId()}`, leaseMs: LEASE_MS }
  const alarm = createAlarm(activity)
  const look = async (signal: AbortSignal): Promise<void> => {
    const { expired, nextMs } = await expireDue({ db, writer, owner, signal })
    if (expired > 0) {
      activity.touch()
      logger.info({ expired }, 'memories have expired')
    }
    if (nextMs !== null) alarm.set(nextMs)
  }
  const looking = repeat(look, {
    everyMs: lookMs,
    activity: alarm.activity,
    onError: (error) => {
      // Before the first start of a projector, and while the read model is rebuilt.
      if (!(error instanceof UnavailableError))
        logger.warn({ error }, 'expired memories could not be looked for; trying again')
    },
  })
  return {
    note: (expiresAt) => alarm.set(Date.parse(expiresAt) - Date.now()),
    stop: looking.stop,
  }
}
