import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/**
 * Takes the branch's provisional events from the journal, which ends with the home's then. Call it under the project's lock.
 * @param head the journal's end
 * @returns the last of the home's events that is here
 */
export async function dropProvisional(
  trx: DatabaseTransaction,
  projectId: string,
  head: Pick<JournalCursor, 'sequence'>,
): Promise<JournalCursor> {
  const { copied, copied_hash } = await trx
    .selectFrom('followed_projects')
    .select(['copied', 'copied_hash'])
    .where('project_id', '=', projectId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (head.sequence > copied) await sql`select drop_copied_events(${projectId}, ${copied})`.execute(trx)
  return { sequence: copied, hash: copied_hash.toString('hex') }
}
