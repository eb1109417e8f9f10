import { readHash } from '@daybook/journal/chain/read-chain'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/*
 * The hashes of provisional events that were given out as receipts. The journal has those events only until the home's
 * arrive. Who reads with such a receipt wants to see what it wrote, and it is there, in another place.
 */

/** How long they are known, in hours. */
const KNOWN_HOURS = 24

/** Notes receipts, and forgets old ones. @param hashes in hex */
export async function noteReceipts(
  trx: DatabaseTransaction,
  projectId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return
  await sql`
    delete from branch_receipts
    where project_id = ${projectId} and written_at < clock_timestamp() - make_interval(hours => ${KNOWN_HOURS})`.execute(
    trx,
  )
  await sql`
    insert into branch_receipts (project_id, hash)
    select ${projectId}::uuid, decode(hash, 'hex') from unnest(${hashes}::text[]) as hash
    on conflict do nothing`.execute(trx)
}

/** Whether a place is the receipt of a provisional event that the journal has no more. */
export async function isReplacedReceipt(
  scope: ProjectScope,
  { sequence, hash }: JournalCursor,
): Promise<boolean> {
  if ((await readHash(scope, sequence)) === hash) return false
  const found = await scope.db
    .selectFrom('branch_receipts')
    .select('hash')
    .where('project_id', '=', scope.projectId)
    .where('hash', '=', Buffer.from(hash, 'hex'))
    .executeTakeFirst()
  return found !== undefined
}
