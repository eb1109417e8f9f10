import { ValidationError } from '@daybook/memory/errors'
import pgvector from 'pgvector'
import {
  checkDimension,
  checkDocuments,
  checkTopK,
  checkVector,
  createOpenness,
  DEFAULT_TOP_K,
  type FoundDocument,
  type VectorStore,
} from './vector-store.ts'

/** What runs statements: a `Pool` or `Client` of `pg`, or a PGlite. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** The options of `createPostgresVectorStore`. */
export interface PostgresVectorStoreOptions {
  readonly client: SqlClient
  /** How many numbers a vector has, 1 to 2,000. */
  readonly dimension: number
  /** The table, made if it is not there; `schema.table` too. Default `daybook_documents`. */
  readonly table?: string | undefined
  /** Called by `close`. Default nothing: the client is the caller's. */
  readonly onClose?: (() => Promise<void>) | undefined
}

const TABLE = /^(?:[a-z_][a-z0-9_]{0,50}\.)?[a-z_][a-z0-9_]{0,50}$/u

/** What an HNSW index of pgvector finds in one scan (`hnsw.ef_search`); for more, all vectors are compared. */
const INDEX_FINDS = 40

/**
 * A vector store in a table of Postgres with pgvector, with an HNSW index on the cosine distance. Searches for up to 40
 * documents use the index, which is approximate; larger ones compare all vectors.
 *
 * @throws ValidationError for a table of another dimension, or a name that is not one; the client's own errors
 */
export async function createPostgresVectorStore({
  client,
  dimension,
  table = 'daybook_documents',
  onClose = async () => {},
}: PostgresVectorStoreOptions): Promise<VectorStore> {
  checkDimension(dimension)
  if (!TABLE.test(table))
    throw new ValidationError(
      'table',
      'must be small letters, digits and _, with a schema and a dot before it or not',
    )
  const openness = createOpenness()
  await prepare(client, table, dimension)
  return {
    dimension,
    async upsert(given) {
      openness.check()
      const rows = [...checkDocuments(given, dimension).values()].map(
        ({ id, content, embedding, metadata = {} }) => ({
          id,
          content,
          metadata,
          embedding: pgvector.toSql(Array.from(embedding)) as string,
        }),
      )
      if (rows.length === 0) return
      await client.query(
        `insert into ${table} (id, content, metadata, embedding)
        select id, content, metadata, embedding::vector
        from jsonb_to_recordset($1::jsonb) as given(id text, content text, metadata jsonb, embedding text)
        order by id
        on conflict (id) do update
          set content = excluded.content, metadata = excluded.metadata, embedding = excluded.embedding, updated_at = now()`,
        [JSON.stringify(rows)],
      )
    },
    async search(embedding, topK = DEFAULT_TOP_K) {
      openness.check()
      checkVector('embedding', embedding, dimension)
      checkTopK(topK)
      // "+ 0" keeps the index out, which would return fewer.
      const distance = topK > INDEX_FINDS ? '(embedding <=> $1::vector) + 0' : 'embedding <=> $1::vector'
      const { rows } = await client.query(
        `select id, content, metadata, 1 - distance as score
        from (
          select id, content, metadata, embedding <=> $1::vector as distance
          from ${table} order by ${distance} limit $2
        ) nearest
        order by distance, id collate "C"`,
        [pgvector.toSql(Array.from(embedding)), topK],
      )
      return [...rows] as FoundDocument[]
    },
    async delete(ids) {
      openness.check()
      if (ids.length > 0) await client.query(`delete from ${table} where id = any($1::text[])`, [[...ids]])
    },
    async close() {
      if (openness.close()) await onClose()
    },
  }
}

async function prepare(client: SqlClient, table: string, dimension: number): Promise<void> {
  await client.query('create extension if not exists vector')
  await client.query(`create table if not exists ${table} (
    id text primary key,
    content text not null,
    metadata jsonb not null default '{}',
    embedding vector(${dimension}) not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`)
  const { rows } = await client.query(
    `select atttypmod as dimension from pg_attribute where attrelid = $1::regclass and attname = 'embedding'`,
    [table],
  )
  const held = (rows[0] as { dimension: number } | undefined)?.dimension
  if (held !== dimension)
    throw new ValidationError(
      'dimension',
      `is ${dimension}, but the vectors of the table ${table} have ${held}: take another table`,
    )
  const index = `${table.replace('.', '_')}_hnsw`
  await client.query(
    `create index if not exists ${index} on ${table} using hnsw (embedding vector_cosine_ops)`,
  )
}
