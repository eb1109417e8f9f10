import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from '../testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { up } from './0023-half-vectors.ts'

describe.each(TEST_DATABASES)('the vectors of the version before on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('keep their direction, and the version before goes on writing and comparing', async () => {
    const { projectId } = await database.newProject()
    const rows = await asOwner(database, async (trx) => {
      const write = async (text: string, vector: string) => {
        await sql`
          insert into daybook.embeddings (project_id, model_id, content_hash, embedded_at)
          values (${projectId}, 'm', ${text}::bytea, now())`.execute(trx)
        // The statement of the version before.
        await sql`
          insert into daybook.embedding_chunks
            (project_id, model_id, content_hash, chunk, span_start, span_end, embedding)
          select ${projectId}, 'm', ${text}::bytea, 0, 0, 5, ${vector}::vector`.execute(trx)
      }
      await sql`alter table daybook.embedding_chunks alter column embedding type vector`.execute(trx)
      await write('before', '[0.6,-0.8]')
      await up(trx as unknown as Kysely<unknown>)
      await write('after', '[0.8,0.6]')
      return sql<{ text: string; type: string; distance: number }>`
        select convert_from(content_hash, 'UTF8') as text, pg_typeof(embedding)::text as type,
          embedding <=> '[0.6,-0.8]'::vector as distance
        from daybook.embedding_chunks order by 1 desc`.execute(trx)
    })
    expect(rows.rows).toEqual([
      { text: 'before', type: 'halfvec', distance: expect.closeTo(0, 3) },
      { text: 'after', type: 'halfvec', distance: expect.closeTo(1, 3) },
    ])
  })
})
