import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatabaseTransaction } from '../connect.ts'
import { asOwner } from '../testing/as-owner.ts'
import { TEST_DATABASES, type TestDatabase } from '../testing/test-database.ts'
import { up } from './0020-embeddings-of-projects.ts'

/** Tables as the previous version made them, with those of its read model that tell whose a text is. */
async function tablesOfBefore(trx: DatabaseTransaction): Promise<void> {
  await sql`drop table daybook.embedding_chunks`.execute(trx)
  await sql`drop table daybook.embeddings`.execute(trx)
  await sql`
    create table daybook.embeddings (
      model_id text not null, content_hash bytea not null, text text, claimed_until timestamptz,
      attempts integer not null default 0, last_error text, embedded_at timestamptz,
      primary key (model_id, content_hash))`.execute(trx)
  await sql`
    create index embeddings_to_do on daybook.embeddings (model_id, claimed_until nulls first)
    where embedded_at is null`.execute(trx)
  await sql`
    create table daybook.embedding_chunks (
      model_id text not null, content_hash bytea not null, chunk integer not null, span_start integer not null,
      span_end integer not null, embedding vector not null, primary key (model_id, content_hash, chunk))`.execute(
    trx,
  )
  await sql`
    insert into daybook.generations (projection, generation, status, model_id, dimension)
    values ('pgvector', 1, 'live', 'm', 2), ('pgvector', 2, 'building', 'n', 2), ('pgvector', 3, 'dropping', 'm', 2)`.execute(
    trx,
  )
  // The third generation is gone already, except for its row.
  for (const schema of ['pgvector_1', 'pgvector_2']) {
    await sql`create schema ${sql.id(schema)}`.execute(trx)
    for (const table of ['memories', 'memory_versions'])
      await sql`
        create table ${sql.table(`${schema}.${table}`)} (project_id uuid not null, content_hash bytea not null)`.execute(
        trx,
      )
  }
}

describe.each(TEST_DATABASES)('the embedding store of the version before on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('gives each text with its vectors to all projects that have it, and drops what none has', async () => {
    const [one, other, third] = [
      (await database.newProject()).projectId,
      (await database.newProject()).projectId,
      (await database.newProject()).projectId,
    ]
    await asOwner(database, async (trx) => {
      await tablesOfBefore(trx)
      await sql`
        insert into daybook.embeddings (model_id, content_hash, text, attempts, last_error, embedded_at) values
          ('m', 'shared', null, 1, null, '2026-01-02T03:04:05Z'), ('n', 'shared', null, 1, null, now()),
          ('m', 'only one', null, 1, null, now()), ('m', 'before', null, 1, null, now()),
          ('m', 'queued', 'a text', 3, 'away', null), ('m', 'nobody''s', null, 1, null, now())`.execute(trx)
      await sql`
        insert into daybook.embedding_chunks (model_id, content_hash, chunk, span_start, span_end, embedding)
        select model_id, content_hash, chunk, chunk, chunk + 5, '[1,2]' from daybook.embeddings, generate_series(0, 1) chunk
        where embedded_at is not null`.execute(trx)
      // A generation has a row per memory and per version; several have the same text.
      await sql`
        insert into pgvector_1.memories (project_id, content_hash) values
          (${one}, 'shared'), (${one}, 'shared'), (${other}, 'shared'), (${one}, 'only one')`.execute(trx)
      await sql`
        insert into pgvector_1.memory_versions (project_id, content_hash) values
          (${one}, 'shared'), (${other}, 'shared'), (${other}, 'before')`.execute(trx)
      await sql`insert into pgvector_2.memories (project_id, content_hash) values (${third}, 'shared')`.execute(
        trx,
      )
      await sql`
        insert into daybook.typesense_pending_vectors (generation, project_id, memory_id, content_hash)
        values (1, ${one}, gen_random_uuid(), 'queued'), (1, ${other}, gen_random_uuid(), 'queued')`.execute(
        trx,
      )
      await up(trx as unknown as Kysely<unknown>)
    })

    const { rows } = await sql<{ project_id: string; it: string; chunks: number }>`
      select project_id, concat_ws(' ', model_id, convert_from(content_hash, 'UTF8'), text, attempts, last_error) as it,
        (select count(*) from embedding_chunks c where c.project_id = e.project_id and c.model_id = e.model_id
          and c.content_hash = e.content_hash and span_end = chunk + 5 and embedding = '[1,2]') as chunks
      from embeddings e`.execute(database.db)
    const name = new Map([
      [one, 'one'],
      [other, 'other'],
      [third, 'third'],
    ])
    expect(rows.map((row) => `${name.get(row.project_id)}: ${row.it}, ${row.chunks}`).toSorted()).toEqual([
      'one: m only one 1, 2',
      'one: m queued a text 3 away, 0',
      'one: m shared 1, 2',
      'one: n shared 1, 2',
      'other: m before 1, 2',
      'other: m queued a text 3 away, 0',
      'other: m shared 1, 2',
      'other: n shared 1, 2',
      'third: m shared 1, 2',
      'third: n shared 1, 2',
    ])
    const kept = await sql<{ same: boolean }>`
      select bool_and(embedded_at = '2026-01-02T03:04:05Z') as same from embeddings
      where model_id = 'm' and content_hash = 'shared'`.execute(database.db)
    expect(kept.rows[0]?.same).toBe(true)
  })

  it('gets the keys and the row level security of a new store', async () => {
    const { rows } = await asOwner(database, (trx) =>
      sql<{ name: string; bound: boolean; key: string }>`
        select relname as name, relrowsecurity and relforcerowsecurity as bound, (
          select string_agg(pg_get_constraintdef(k.oid), '; ' order by contype desc) from pg_constraint k
          where conrelid = c.oid and contype in ('p', 'f')) as key
        from pg_class c where relnamespace = 'daybook'::regnamespace and relkind = 'r'
          and relname like 'embedding%' order by relname`.execute(trx),
    )
    expect(rows).toEqual([
      {
        name: 'embedding_chunks',
        bound: true,
        key: 'PRIMARY KEY (project_id, model_id, content_hash, chunk); FOREIGN KEY (project_id, model_id, content_hash) REFERENCES embeddings(project_id, model_id, content_hash) ON DELETE CASCADE',
      },
      { name: 'embeddings', bound: true, key: 'PRIMARY KEY (project_id, model_id, content_hash)' },
    ])
  })
})
