import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '../testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { up } from './0037-narrow-chunks.ts'

describe.each(TEST_DATABASES)('the chunks of the version before on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('are as they were, belong to their projects and texts, and nine fill a page', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    const modelId = 'all-MiniLM-L6-v2/fp32/token-bits-1'
    const read = (scope: typeof one) =>
      sql<{ size: number }>`
        select model_id, content_hash, chunk, tokens, span_start, span_end, embedding, pg_column_size(c.*) as size
        from embedding_chunks c where content_hash is not null`
        .execute(scope.db)
        .then(({ rows }) => rows)
    await asOwner(database, async (trx) => {
      // As it was made before.
      await sql`
        alter table daybook.embedding_chunks alter column chunk type integer, alter column tokens type integer`.execute(
        trx,
      )
      for (const { projectId } of [one, other]) {
        await sql`
          insert into daybook.embeddings (project_id, model_id, content_hash, embedded_at)
          values (${projectId}, ${modelId}, sha256('tea'), now())`.execute(trx)
        await sql`
          insert into daybook.embedding_chunks
            (project_id, model_id, content_hash, chunk, span_start, span_end, tokens, embedding)
          select ${projectId}, ${modelId}, sha256('tea'), n, 3, 70000, 256, array_fill(0.25 * n, '{384}')::halfvec
          from generate_series(1, 2) n`.execute(trx)
      }
    })
    const before = await read(one)
    await asOwner(database, (trx) => up(trx as unknown as Kysely<unknown>))
    expect(await read(one)).toEqual(before.map((row) => ({ ...row, size: 896 })))
    await sql`delete from embeddings where project_id = ${one.projectId}`.execute(one.db)
    expect(await read(one)).toEqual([])
    expect(await read(other)).toHaveLength(2)
    // Written again, like by the version before.
    const write = sql`
      insert into embedding_chunks (project_id, model_id, content_hash, chunk, span_start, span_end, tokens, embedding)
      select ${other.projectId}, ${modelId}, sha256('tea'), 2::int, 0, 5, 7::int, '[1]'::halfvec on conflict do nothing`
    await write.execute(other.db)
    expect(await read(other)).toHaveLength(2)
  })
})
