import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { type Generation, liveGeneration } from '@daybook/projection/generations'
import { sql } from 'kysely'
import { generationTables, PGVECTOR } from './generation-tables.ts'

/** Two processes that start at once take turns by it; the number is arbitrary but must stay. */
const CREATE_LOCK = 7_033_215

/** The live generation; on the very first start generation 1, made empty for the given model. */
export async function ensureLiveGeneration(
  db: Database,
  model: { readonly modelId: string; readonly dimension: number },
): Promise<Generation> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${CREATE_LOCK})`.execute(trx)
    const live = await liveGeneration(trx, PGVECTOR)
    if (live !== null) return live
    await createTables(trx, 1, model.dimension)
    await trx
      .insertInto('generations')
      .values({
        projection: PGVECTOR,
        generation: 1,
        status: 'live',
        model_id: model.modelId,
        dimension: model.dimension,
      })
      .execute()
    return { projection: PGVECTOR, generation: 1, ...model }
  })
}

/** Makes a generation's schema and tables. They belong to the migrating user, the application may only use them. */
async function createTables(trx: DatabaseTransaction, generation: number, dimension: number): Promise<void> {
  const { schema, memories, versions, postings, lexicalStats, vectors } = generationTables(generation)
  const schemaName = sql.id(schema)
  await sql`set local role none`.execute(trx)
  await sql`create schema ${schemaName}`.execute(trx)
  await sql`
    create table ${memories} (
      project_id uuid not null,
      memory_id uuid not null,
      number integer not null,
      kind text not null,
      version integer not null,
      sequence bigint not null,
      first_sequence bigint not null,
      state jsonb not null,
      exact_key text,
      context text,
      agent text,
      labels text[] not null,
      categories text[] not null,
      importance smallint not null,
      created_at timestamptz not null,
      occurred_at timestamptz,
      expires_at timestamptz,
      forgotten boolean not null,
      lexemes tsvector not null,
      length integer not null,
      content_hash bytea not null,
      vector_pending boolean not null,
      primary key (project_id, memory_id),
      unique (project_id, number)
    )`.execute(trx)
  await sql`create index on ${memories} (project_id, first_sequence)`.execute(trx)
  // Neighbours: the memories before and after in the same context and kind.
  await sql`create index on ${memories} (project_id, context, kind, first_sequence) where context is not null`.execute(
    trx,
  )
  await sql`create index on ${memories} (project_id, kind, exact_key) where exact_key is not null`.execute(
    trx,
  )
  await sql`create index on ${memories} (project_id) where forgotten`.execute(trx)
  // Who waits for a text's vector; and how many wait in a project.
  await sql`create index on ${memories} (content_hash) where vector_pending`.execute(trx)
  await sql`create index on ${memories} (project_id) where vector_pending`.execute(trx)
  await sql`
    create table ${versions} (
      project_id uuid not null,
      memory_id uuid not null,
      version integer not null,
      sequence bigint not null,
      type text not null,
      recorded_at timestamptz not null,
      state jsonb not null,
      content_hash bytea not null,
      primary key (project_id, memory_id, version)
    )`.execute(trx)
  // Lexemes are compared as bytes: by a language's rules it takes several times as long, and nobody reads their order.
  await sql`
    create table ${postings} (
      project_id uuid not null,
      lexeme text collate "C" not null,
      segment integer not null,
      entries bytea not null default '',
      removed bytea not null default '',
      recent bytea not null default '',
      primary key (project_id, lexeme, segment)
    )`.execute(trx)
  // `entries` outside the row once they are long, and never compressed; the others always in it.
  await sql`
    alter table ${postings} alter entries set storage external,
      alter removed set storage plain, alter recent set storage plain`.execute(trx)
  await sql`
    create table ${lexicalStats} (
      project_id uuid primary key,
      memories integer not null,
      total_length bigint not null,
      next_number integer not null
    )`.execute(trx)
  await sql`
    create table ${vectors} (
      project_id uuid not null,
      memory_id uuid not null,
      chunk integer not null,
      span_start integer not null,
      span_end integer not null,
      embedding vector(${sql.lit(dimension)}) not null,
      primary key (project_id, memory_id, chunk)
    )`.execute(trx)
  await sql`create index on ${vectors} using hnsw (embedding vector_cosine_ops)`.execute(trx)
  await sql`grant usage on schema ${schemaName} to daybook_app`.execute(trx)
  await sql`grant select, insert, update, delete on all tables in schema ${schemaName} to daybook_app`.execute(
    trx,
  )
  await sql`set local role daybook_app`.execute(trx)
}
