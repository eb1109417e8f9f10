import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { ProjectDeletedError, readDeleted } from '@daybook/postgres/access/delete-project'
import { isAheadOfClock } from '@daybook/postgres/clock'
import { writerProblem } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { FollowedError } from './followed-error.ts'
import { CLOCK_WHEN_ASKED } from './known-head.ts'

/** A project's journal under its lock: its end, and the time for new events. */
export interface LockedJournal {
  readonly sequence: number
  /** In hex. */
  readonly hash: string
  /**
   * RFC 3339, from the database's clock. If the last event is at most `CLOCK_TOLERANCE_MS` ahead of the
   * clock, its time counts instead, so that small corrections keep times in order. If it is further ahead,
   * the clock was wrong then, and is followed again now.
   */
  readonly now: string
  /** What the clock showed when the lock was asked for, in milliseconds since 1970. */
  readonly clockMs: number
  /** When the last event was recorded, if that is later than `now`; else null. */
  readonly setBackFrom: string | null
  /** The epoch of new events. */
  readonly epoch: number
  /** Whether a commit waits for the disk: on a server, not in the embedded database. */
  readonly flushes: boolean
}

type LockedRow = Omit<LockedJournal, 'setBackFrom'> & {
  readonly last: string | null
  readonly minimumWriter: number
  readonly followed: boolean
}

/**
 * Locks the project until the transaction ends. `for update` on the head row waits for the append before it,
 * then sees the row as that append left it. An advisory lock would need a second statement, because a
 * statement's snapshot is older than the lock it waits for. The same statement reads the oldest writer
 * version that may append, so the check costs nothing.
 * @param writes what is to be written: events that this Daybook decides, by default, or the copy of another home's
 * journal, with its branch
 * @throws FollowedError if the journal is a copy, for `own`; DaybookError IMPORT_CONFLICT if it is none, for `copy`;
 * DaybookError CONFIGURATION if this code is too old to append; ProjectDeletedError; UnavailableError if the project is
 * gone: `placeProject` may replace one without events
 */
export async function lockProject(
  trx: DatabaseTransaction,
  projectId: string,
  writes: 'own' | 'copy' = 'own',
): Promise<LockedJournal> {
  const { rows } = await sql<LockedRow>`
    select sequence, epoch, followed, encode(hash, 'hex') as hash, nullif(last_recorded_at, '-infinity') as last,
      date_trunc('milliseconds', case when ${isAheadOfClock(sql`last_recorded_at`)} then clock_timestamp()
        else greatest(clock_timestamp(), last_recorded_at) end) as now,
      ${CLOCK_WHEN_ASKED} as "clockMs", (select minimum_writer from compatibility) as "minimumWriter",
      current_setting('fsync') = 'on' as flushes
    from journal_heads where project_id = ${projectId} for update`.execute(trx)
  const row = rows[0]
  if (row === undefined) {
    if ((await readDeleted(trx, projectId)) !== null) throw new ProjectDeletedError(projectId)
    throw new UnavailableError(
      `The project ${projectId} has no journal here; an import may just have replaced it: try again in a moment`,
    )
  }
  const { last, minimumWriter, followed, ...head } = row
  const problem = writerProblem(minimumWriter)
  if (problem !== null) throw problem
  if (followed && writes === 'own') throw new FollowedError(projectId)
  if (!followed && writes === 'copy')
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The project ${projectId} does not follow another Daybook (any more)`,
    )
  return { ...head, setBackFrom: last !== null && Date.parse(last) > Date.parse(head.now) ? last : null }
}
