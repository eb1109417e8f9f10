import type { ProjectScope } from '@daybook/postgres/project-scope'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import type { TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { placeAt } from './place-at.ts'

/**
 * Removes a journal's end, as a promoted replica that was behind would have it. The events after `keep` and
 * their idempotency keys are gone, and the head is the last event left. Everything else in the database
 * stays.
 */
export async function loseTail(
  database: Pick<TestDatabase, 'address' | 'db'>,
  scope: ProjectScope,
  keep: number,
): Promise<void> {
  const { sequence, hash } = await placeAt(scope, keep)
  await asOwner(database, async (trx) => {
    await sql`
      delete from idempotency_keys k using events e where e.project_id = ${scope.projectId} and e.sequence > ${sequence}
        and k.project_id = e.project_id and k.memory_id = e.memory_id and k.version = e.version`.execute(trx)
    await sql`delete from events where project_id = ${scope.projectId} and sequence > ${sequence}`.execute(
      trx,
    )
    await sql`
      update journal_heads set sequence = ${sequence}, hash = decode(${hash}, 'hex')
      where project_id = ${scope.projectId}`.execute(trx)
  })
}
