import { asOwner } from '@daybook/postgres/testing/as-owner'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'

/** Changes who wrote an event, as somebody might do with the rights of the database's owner. */
export async function changeActor(
  database: TestDatabase,
  projectId: string,
  sequence: number,
): Promise<void> {
  await asOwner(database, (trx) =>
    sql`
      update daybook.events set actor = 'somebody else'
      where project_id = ${projectId} and sequence = ${sequence}`.execute(trx),
  )
}
