import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/**
 * Marks imported events as published, if all events before them are. They are history, not news for listeners
 * of the bus. Otherwise the relay would find them batch by batch and take them for events that a dead process
 * left. If earlier events still have to be published, the imported ones are published after them, which does
 * no harm.
 */
export async function leaveUnpublished(
  trx: DatabaseTransaction,
  projectId: string,
  { before, after }: { readonly before: number; readonly after: JournalCursor },
): Promise<void> {
  await sql`
    insert into relay_positions as place (project_id, published, hash)
    select ${projectId}, ${after.sequence}::bigint, decode(${after.hash}, 'hex')
    where ${before}::bigint = 0 or exists (select from relay_positions where project_id = ${projectId})
    on conflict (project_id) do update set published = excluded.published, hash = excluded.hash
    where place.published = ${before}::bigint`.execute(trx)
}
