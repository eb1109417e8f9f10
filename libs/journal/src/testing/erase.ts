import { asOwner } from '@daybook/postgres/testing/as-owner'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'

/** Erases the data of events with their salts and the hashes of their requests. */
export async function eraseEvents(
  database: Pick<TestDatabase, 'address' | 'db'>,
  projectId: string,
  sequences: readonly number[],
): Promise<void> {
  await asOwner(database, (trx) =>
    sql`
      with erased as (
        update daybook.events set data = null, data_salt = null
        where project_id = ${projectId} and sequence = any(${sequences}::bigint[])
        returning memory_id, version
      )
      update daybook.idempotency_keys uses set request_hash = null from erased
      where uses.project_id = ${projectId} and uses.memory_id = erased.memory_id and uses.version = erased.version`.execute(
      trx,
    ),
  )
}
