import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/**
 * Counts imported events as published, where all before them are: they are history, and no news for those who listen to the
 * bus. Without this the relay would find them batch by batch, and take them for what a dead process left. Where something before
 * them still has to be published, they are published after it, which does no harm.
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
