import { generationTables, PGVECTOR } from '@daybook/pgvector/generation-tables'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { listGenerations } from '@daybook/projection/generations/generations'
import { type RawBuilder, sql } from 'kysely'

/*
 * The read model in Postgres takes the texts of an erased memory from the embedding store when it applies the
 * erasure. But another projection may be behind it. It then queues a text once more, or the text was only ever
 * queued by it, because here its event is parked. So an erasure notes the texts (`erased_texts`), and once every
 * generation has applied it, nobody queues them any more, and what the store has of them is removed.
 */

/** Removes the texts of erased memories from the embedding store when the last projection has applied the erasure. */
export async function removeErasedTexts(db: Database): Promise<void> {
  const { rows } = await sql<{ project_id: string }>`select distinct project_id from erased_texts`.execute(db)
  for (const { project_id } of rows) await removeOfProject(projectScope(db, project_id))
}

/** Removes those that every generation is done with. A text that another memory has too keeps its vector. */
async function removeOfProject({ db, projectId }: ProjectScope): Promise<void> {
  const { rows } = await sql<{ reached: number | null }>`
    select min(coalesce(position, 0)) as reached from generations
    left join positions on positions.projection = generations.projection
      and positions.generation = generations.generation and project_id = ${projectId}
    where status <> 'dropping'`.execute(db)
  const reached = rows[0]?.reached ?? 0
  const due = sql`project_id = ${projectId} and sequence <= ${reached}`
  await db.transaction().execute(async (trx) => {
    await sql`
      with due as materialized (select content_hash from erased_texts where ${due})
      delete from embeddings where project_id = ${projectId} and content_hash in (
        select content_hash from due ${await exceptUsed(trx, projectId)})`.execute(trx)
    const { numAffectedRows = 0n } = await sql`delete from erased_texts where ${due}`.execute(trx)
    if (numAffectedRows > 0n) await sql`update free_space set erased_at = clock_timestamp()`.execute(trx)
  })
}

/** Leaves out of `due` the texts that a memory has, or had, in any generation: each table is read once. */
async function exceptUsed(trx: DatabaseTransaction, projectId: string): Promise<RawBuilder<unknown>> {
  const tables = (await listGenerations(trx, PGVECTOR))
    .filter(({ status }) => status !== 'dropping')
    .map(({ generation }) => generationTables(generation))
    .flatMap(({ memories, versions }) => [memories, versions])
  return sql.join(
    tables.map(
      (table) => sql`
        except select content_hash from ${table}
        where project_id = ${projectId} and content_hash in (select content_hash from due)`,
    ),
    sql` `,
  )
}
