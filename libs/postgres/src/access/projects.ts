import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** The project of that name, made with an empty journal where there is none. Safe when several processes do it at once. */
export async function ensureProject(db: Database, name: string): Promise<string> {
  return db.transaction().execute(async (trx) => {
    await trx
      .insertInto('projects')
      .values({ id: newId(), name })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const { id } = await trx
      .selectFrom('projects')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('journal_heads')
      .values({ project_id: id, last_recorded_at: sql<string>`'-infinity'::timestamptz` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return id
  })
}
