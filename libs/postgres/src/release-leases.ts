import { sql } from 'kysely'
import type { Database } from './connect.ts'
import { RELEASED } from './lease.ts'

/**
 * Frees the leases of dead processes before they run out: operations, projects of relays and projectors,
 * texts, expiry. Only for a process that knows that no other one uses this database, such as the daemon that holds an
 * embedded database's data folder.
 */
export async function releaseLeases(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`update operations set leased_until = clock_timestamp() where status = 'running'`.execute(trx)
    await sql`update relay_positions set ${RELEASED} where lease_owner is not null`.execute(trx)
    await sql`update positions set ${RELEASED} where lease_owner is not null`.execute(trx)
    await sql`update expiry_lease set ${RELEASED} where lease_owner is not null`.execute(trx)
    // Texts with an error wait for their next try.
    await sql`update embeddings set leased_until = null
      where embedded_at is null and leased_until is not null and last_error is null`.execute(trx)
  })
}
