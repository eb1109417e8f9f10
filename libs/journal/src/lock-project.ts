import { UnavailableError } from '@daybook/memory/errors'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** A project's journal under its lock: its end, and the moment of what is written now. */
export interface LockedJournal {
  readonly sequence: number
  /** In hex. */
  readonly hash: string
  /** RFC 3339, the database's clock, never before the last event. */
  readonly now: string
}

/**
 * Takes the project's lock until the end of the transaction. `for update` on the head row waits for the append before, then
 * sees the row as that one left it; an advisory lock would need a second statement for the same, as a statement's snapshot is
 * older than the lock it waits for.
 * @throws UnavailableError where the project is not there any more: `placeProject` may replace one without events
 */
export async function lockProject(trx: DatabaseTransaction, projectId: string): Promise<LockedJournal> {
  const { rows } = await sql<LockedJournal>`
    select sequence, encode(hash, 'hex') as hash, date_trunc('milliseconds', greatest(clock_timestamp(), last_recorded_at)) as now
    from journal_heads where project_id = ${projectId} for update`.execute(trx)
  const head = rows[0]
  if (head === undefined)
    throw new UnavailableError(
      `The project ${projectId} has no journal here; an imported one may just have taken its place: try again in a moment`,
    )
  return head
}
