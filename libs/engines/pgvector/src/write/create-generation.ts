import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { secureRows } from '@daybook/postgres/project-scope'
import { omitStatistics } from '@daybook/postgres/statistics'
import { forgetGeneration, type Generation, holdDropping } from '@daybook/projection/generations/generations'
import type { GenerationLayout } from '@daybook/projection/generations/swap-generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import { type RawBuilder, sql } from 'kysely'
import { authorsOf } from '../former-words.ts'
import { generationTables, LAYOUT_VERSION, PGVECTOR, vectorIndex } from '../generation-tables.ts'

/**
 * How to create generations of the Postgres read model. The vectors of a generation that is being built have
 * no index yet.
 */
export const PGVECTOR_LAYOUT: GenerationLayout = {
  projection: PGVECTOR,
  layoutVersion: LAYOUT_VERSION,
  async make(trx, generation, status) {
    await createTables(trx, generation.generation, generation.dimension)
    if (status === 'live') await createVectorIndex(trx, generation, 0)
  },
}

/**
 * Deletes a generation that is being dropped, with all its data; any other is left alone. May be called
 * again.
 */
export async function dropGeneration(db: Database, generation: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await holdDropping(trx, { projection: PGVECTOR, generation }))) return
    await sql`set local role daybook_indexer`.execute(trx)
    await sql`drop schema if exists ${sql.id(generationTables(generation).schema)} cascade`.execute(trx)
    await sql`set local role daybook_app`.execute(trx)
    await forgetGeneration(trx, { projection: PGVECTOR, generation })
  })
}

/**
 * Builds the index of a generation's vectors if it is missing. Building it over existing vectors takes a
 * tenth of the time of inserting them one by one (`docs/measurements.md#building-the-vector-index`).
 * Meanwhile the table cannot be written.
 *
 * @param workers processes that Postgres may use besides the session's own. Each takes a core from searches,
 *   and a server with two cores has none to spare
 */
export async function buildVectorIndex(
  db: Database,
  generation: Generation,
  workers: number,
  fence: Fence,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await fence.hold(trx)
    await createVectorIndex(trx, generation, workers)
  })
}

async function createVectorIndex(
  trx: DatabaseTransaction,
  generation: Generation,
  workers: number,
): Promise<void> {
  const { vectors } = generationTables(generation.generation)
  const { method } = vectorIndex(generation)
  await sql`set local role daybook_indexer`.execute(trx)
  // No time limit: with millions of vectors it takes hours. An index that does not fit into the memory is
  // built several times slower; 100,000 vectors of 384 numbers need about 110 MB, their signs 30 MB.
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`set local maintenance_work_mem = '512MB'`.execute(trx)
  await sql`set local max_parallel_maintenance_workers = ${sql.lit(workers)}`.execute(trx)
  await sql`
    create index if not exists vectors_embedding_idx on ${vectors}
    using ${method(await cosineOperators(trx, vectors))}`.execute(trx)
  await sql`set local role daybook_app`.execute(trx)
}

/**
 * Gathers planner statistics for a generation that has just been filled, before anybody searches it. A server
 * would do so by itself about a minute later. Without them a search of 5,760 memories took twice as long.
 */
export async function gatherStatistics(db: Database, generation: number, fence: Fence): Promise<void> {
  const { memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  const tables = [memories, versions, postings, formerPostings, lexicalStats, vectors, waiting]
  await db.transaction().execute(async (trx) => {
    await fence.hold(trx)
    await sql`set local role daybook_indexer`.execute(trx)
    await sql`analyze ${sql.join(tables)}`.execute(trx)
  })
}

/**
 * For neighbours: the memories before and after in the same context and of the same kind. `session` is a hash
 * of both, because an index on the columns themselves took more than twice as long
 * (`docs/measurements.md#finding-neighbours-by-session`). The index includes everything that is asked of a
 * neighbour, so that rows that a server has vacuumed need not be read. Without one of these columns, the planner reads
 * whole sessions: 160 ms for the neighbours of 200 memories instead of 5.
 */
async function indexSessions(trx: DatabaseTransaction, memories: RawBuilder<unknown>): Promise<void> {
  await sql`
    create index on ${memories} (session, first_sequence)
    include (project_id, context, kind, memory_id, expires_at, forgotten, writer, editor, content_hash)
    where session is not null and not forgotten`.execute(trx)
}

/**
 * For filters, of which all but the context are columns of one index: the rows themselves, with their texts, are
 * ten times as long (docs/measurements.md#filtered-searches-by-meaning). Not one index for each column, because
 * under row level security Postgres uses none for `&&` or `@>`.
 */
async function indexFilters(trx: DatabaseTransaction, memories: RawBuilder<unknown>): Promise<void> {
  await sql`
    create index on ${memories} (project_id, forgotten)
    include (memory_id, number, kind, agent, filter_labels, filter_categories, importance, created_at, occurred_at,
      expires_at, writer, editor)`.execute(trx)
  await sql`create index on ${memories} (project_id) where filter_labels is null`.execute(trx)
}

/** Those of the table `memories` that say whose memory it is. */
const authorColumns = () =>
  sql.join(
    Object.entries(authorsOf(sql`state`)).map(
      ([name, expression]) =>
        sql`${sql.id(name)} ${name.endsWith('agent') ? sql`text` : sql`uuid`} generated always as (${expression}) stored`,
    ),
  )

/**
 * An entry of an index holds at most 2,704 bytes, of which an agent may take 1,020. A longer entry is refused with its
 * memory: another text in the index of filters takes its room from here.
 */
const SHORT = { words: 24, bytes: 800 }

/** The labels or the categories; null for both if together they are too long for an index. */
function ifShort(column: RawBuilder<unknown>): RawBuilder<unknown> {
  // Written out, because nothing that sums up an array's texts counts as immutable.
  const bytes = ['labels', 'categories'].flatMap((name) =>
    Array.from(
      { length: SHORT.words },
      (_, at) => sql`coalesce(octet_length(${sql.ref(name)}[${sql.lit(at + 1)}]), 0)`,
    ),
  )
  return sql`
    case when cardinality(labels) + cardinality(categories) <= ${sql.lit(SHORT.words)}
      and ${sql.join(bytes, sql` + `)} <= ${sql.lit(SHORT.bytes)} then ${column} end`
}

/**
 * The type of the vectors. On a server 16 bits a number: half the room, and 9,998 of 10,000 best hits are the
 * same. The embedded database, which computes them in software, would take three times as long for a search and
 * six times for an index (docs/measurements.md#vectors-of-16-bits-a-number).
 */
const vectorType = (isEmbedded: boolean) => (isEmbedded ? sql`vector` : sql`halfvec`)

/**
 * On a server, the vectors are in so many tables, by a hash of the project, each with an index of its own: a search walks through
 * what is nearest of all projects in a table. Among 30,000 memories beside 220,000 of other projects, finding the nearest 200
 * takes 15 ms instead of 49 (docs/measurements.md#many-projects). The embedded database has few projects.
 */
const PARTITIONS = 16

/** Splits the table of vectors. Each part is secured, too: whoever reads one by its own name sees no more. */
async function partitionVectors(
  trx: DatabaseTransaction,
  schema: string,
  vectors: RawBuilder<unknown>,
): Promise<void> {
  for (let remainder = 0; remainder < PARTITIONS; remainder += 1) {
    const part = sql.id(schema, `vectors_${remainder}`)
    await sql`
      create table ${part} partition of ${vectors}
      for values with (modulus ${sql.lit(PARTITIONS)}, remainder ${sql.lit(remainder)})`.execute(trx)
    await secureRows(trx, part)
  }
}

async function isEmbeddedDatabase(trx: DatabaseTransaction): Promise<boolean> {
  const { rows } = await sql<{ embedded: boolean }>`select version() like '%wasm32%' as embedded`.execute(trx)
  return rows[0]?.embedded === true
}

/** The operators of an index on vectors of whichever type the table has. */
async function cosineOperators(
  trx: DatabaseTransaction,
  vectors: RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  // No row is needed to know the type.
  const { rows } = await sql<{ half: boolean }>`
    select pg_typeof((select embedding from ${vectors} limit 0)) = 'halfvec'::regtype as half`.execute(trx)
  return rows[0]?.half === true ? sql`halfvec_cosine_ops` : sql`vector_cosine_ops`
}

/**
 * Creates a generation's schema and tables. They belong to `daybook_indexer`; the application may only use
 * them.
 */
async function createTables(trx: DatabaseTransaction, generation: number, dimension: number): Promise<void> {
  const { schema, memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  const schemaName = sql.id(schema)
  const isEmbedded = await isEmbeddedDatabase(trx)
  await sql`set local role daybook_indexer`.execute(trx)
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
      session bigint generated always as (
        uuid_hash_extended(project_id, hashtextextended(context, hashtextextended(kind, 0)))) stored,
      supersedes text generated always as (state->>'supersedes') stored,
      part_of text generated always as (state->'part'->>'document') stored,
      filter_labels text[] generated always as (${ifShort(sql`labels`)}) stored,
      filter_categories text[] generated always as (${ifShort(sql`categories`)}) stored,
      ${authorColumns()},
      primary key (project_id, memory_id),
      unique (project_id, number)
    )`.execute(trx)
  await sql`create index on ${memories} (project_id, first_sequence)`.execute(trx)
  // For filters by context. With the context last, Postgres stores it once for many rows: 15 bytes a memory instead of
  // 117 with the first sequence behind it, in whose order nobody reads a context.
  await sql`create index on ${memories} (project_id, context) where context is not null`.execute(trx)
  await indexSessions(trx, memories)
  await sql`create index on ${memories} (project_id, kind, exact_key) where exact_key is not null`.execute(
    trx,
  )
  // For equal texts, at a write and at an erasure: 60 bytes a memory, and no time that could be measured.
  await sql`create index on ${memories} using hash (content_hash)`.execute(trx)
  await sql`create index on ${memories} (project_id, supersedes) where supersedes is not null`.execute(trx)
  await sql`create index on ${memories} (project_id, part_of) where part_of is not null`.execute(trx)
  await indexFilters(trx, memories)
  // For those that are due to expire.
  await sql`create index on ${memories} (expires_at) where expires_at is not null and not forgotten`.execute(
    trx,
  )
  await sql`
    create table ${versions} (
      project_id uuid not null,
      memory_id uuid not null,
      version integer not null,
      sequence bigint not null,
      content_hash bytea not null,
      lexemes tsvector,
      primary key (project_id, memory_id, version)
    )`.execute(trx)
  // For searches of the past: the texts that no memory has any more.
  await sql`create index on ${versions} (project_id, memory_id, version) where lexemes is not null`.execute(
    trx,
  )
  await createPostings(trx, postings)
  await createPostings(trx, formerPostings)
  await sql`
    create table ${lexicalStats} (
      project_id uuid primary key,
      memories integer not null,
      total_length bigint not null,
      next_number integer not null,
      language text not null default 'english'
    )`.execute(trx)
  await sql`
    create table ${vectors} (
      project_id uuid not null,
      memory_id uuid not null,
      chunk integer not null,
      span_start integer not null,
      span_end integer not null,
      embedding ${vectorType(isEmbedded)}(${sql.lit(dimension)}) not null,
      -- Of the memory. Null in generations that are older than the column.
      number integer,
      primary key (project_id, memory_id, chunk)
    ) ${isEmbedded ? sql`` : sql`partition by hash (project_id)`}`.execute(trx)
  if (!isEmbedded) await partitionVectors(trx, schema, vectors)
  await createWaiting(trx, waiting)
  for (const table of [memories, versions, postings, formerPostings, lexicalStats, vectors, waiting])
    await secureRows(trx, table)
  await omitStatistics(trx, schema)
  await sql`grant usage on schema ${schemaName} to daybook_app`.execute(trx)
  await sql`grant select, insert, update, delete on all tables in schema ${schemaName} to daybook_app`.execute(
    trx,
  )
  await sql`set local role daybook_app`.execute(trx)
}

/**
 * A table of its own, because a mark in `memories` that indexes know makes Postgres write the row, and an entry in
 * each index, again when the vector comes: 350 bytes a memory (docs/measurements.md#room-of-a-memory).
 */
async function createWaiting(trx: DatabaseTransaction, waiting: RawBuilder<unknown>): Promise<void> {
  await sql`
    create table ${waiting} (
      project_id uuid not null,
      memory_id uuid not null,
      -- Of the text whose vector it waits for.
      content_hash bytea not null,
      primary key (project_id, memory_id)
    )`.execute(trx)
  await sql`create index on ${waiting} (content_hash, project_id)`.execute(trx)
}

/** A table of postings (`@daybook/lexical-index/postings` has their format). */
async function createPostings(trx: DatabaseTransaction, postings: RawBuilder<unknown>): Promise<void> {
  // Lexemes are compared as bytes: a language's rules take several times as long, and nobody reads them in
  // order.
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
  // Long `entries` are stored outside the row and never compressed; the other columns always inside it.
  await sql`
    alter table ${postings} alter entries set storage external,
      alter removed set storage plain, alter recent set storage plain`.execute(trx)
}
