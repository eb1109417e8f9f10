import { UnavailableError } from '@daybook/memory/errors'
import { isAheadOfClock } from '@daybook/postgres/clock'
import { writerProblem } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** A project's journal under its lock: its end, and the moment of what is written now. */
export interface LockedJournal {
  readonly sequence: number
  /** In hex. */
  readonly hash: string
  /**
   * RFC 3339, the database's clock. Not before the last event where that lies at most `CLOCK_TOLERANCE_MS` ahead of it, so that
   * small corrections keep times in order. Where it lies further ahead, the clock was wrong then, and counts again now.
   */
  readonly now: string
  /** When the last event was recorded, where that is later than `now`; else null. */
  readonly setBackFrom: string | null
}

/**
 * Takes the project's lock until the end of the transaction. `for update` on the head row waits for the append before, then
 * sees the row as that one left it; an advisory lock would need a second statement for the same, as a statement's snapshot is
 * older than the lock it waits for. The oldest writer that may append comes with it, so that the question costs nothing.
 * @throws DaybookError CONFIGURATION where this code is too old to append; UnavailableError where the project is not there
 *   any more: `placeProject` may replace one without events
 */
export async function lockProject(trx: DatabaseTransaction, projectId: string): Promise<LockedJournal> {
  const { rows } = await sql<
    Omit<LockedJournal, 'setBackFrom'> & { last: string | null; minimumWriter: number }
  >`
    select sequence, encode(hash, 'hex') as hash, nullif(last_recorded_at, '-infinity') as last,
      date_trunc('milliseconds', case when ${isAheadOfClock(sql`last_recorded_at`)} then clock_timestamp()
        else greatest(clock_timestamp(), last_recorded_at) end) as now,
      (select minimum_writer from compatibility) as "minimumWriter"
    from journal_heads where project_id = ${projectId} for update`.execute(trx)
  const row = rows[0]
  if (row === undefined)
    throw new UnavailableError(
      `The project ${projectId} has no journal here; an imported one may just have taken its place: try again in a moment`,
    )
  const { last, minimumWriter, ...head } = row
  const problem = writerProblem(minimumWriter)
  if (problem !== null) throw problem
  return { ...head, setBackFrom: last !== null && Date.parse(last) > Date.parse(head.now) ? last : null }
}
