import { commitUnflushed, type Database, type DatabaseTransaction } from '@daybook/postgres/connect'
import { storableError } from '@daybook/postgres/errors'
import { isLeaseOver } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import pgvector from 'pgvector'
import type { EmbeddedChunk } from './embedders.ts'
import { hasTokenBits } from './token-bits/token-bits.ts'

/*
 * The embedding store: each distinct text of a project once per model, however many memories, versions,
 * projections and rebuilds need it. Projects share nothing: a vector that is there at once would tell a
 * project that another one has the text, and nothing could be deleted for one project alone. A row without
 * vectors is work to do:
 *
 *   queued ──lease──▶ leased ──store──▶ embedded
 *     ▲                  │ failed, or the lease ran out because the worker died
 *     └──────────────────┘
 *
 * Leasing and storing do not wait for the disk: after a crash of the server, a text may be embedded again.
 */

/** A text to embed. */
export interface QueuedText {
  readonly hash: Buffer
  readonly text: string
}

/** A project, and the model of the vectors. */
export interface StoreKey {
  readonly projectId: string
  readonly modelId: string
}

/** A text's key among all projects. */
export interface TextPlace {
  readonly projectId: string
  readonly hash: Buffer
}

/** A text that a worker has taken. */
export interface LeasedText extends TextPlace, QueuedText {}

/** A text with its vectors. */
interface EmbeddedText extends TextPlace {
  readonly chunks: readonly EmbeddedChunk[]
}

/**
 * The row addresses of texts of several projects, for `ctid = any(…)`. Each text is looked up by its key:
 * with a join, a Postgres without statistics reads the whole store. Hashes are decoded beforehand: under row
 * level security, an index lookup may not use a function unless it is marked leakproof, and `decode` is not.
 * Both cost more than a second (docs/measurements.md#lookups-in-the-embedding-store).
 *
 * A row that is being changed at that moment may be missing; whoever works on the queue next handles it.
 */
const placesOf = (modelId: string, texts: readonly TextPlace[]) => sql`array(
  select stored.place
  from (
    select project_id, decode(hash, 'hex') as content_hash
    from unnest(${texts.map(({ projectId }) => projectId)}::uuid[], ${hexOf(texts)}::text[]) as given(project_id, hash)
    offset 0
  ) given cross join lateral (
    select ctid as place from embeddings
    where project_id = given.project_id and model_id = ${modelId} and content_hash = given.content_hash
    offset 0
  ) stored)`

const hexOf = (texts: readonly { readonly hash: Buffer }[]) => texts.map(({ hash }) => hash.toString('hex'))

/** The texts as a relation with `hash`, in hexadecimal, and `text`. */
const relationOf = (texts: readonly QueuedText[]) => {
  const rows = texts.map(({ hash, text }) => ({ hash: hash.toString('hex'), text }))
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(hash text, text text)`
}

/**
 * Queues texts that the store does not have for the project yet. Inserts in the order of hashes, so that two
 * inserts cannot deadlock.
 * @returns how many of them the store did not have
 */
export async function queueTexts(
  trx: DatabaseTransaction,
  { projectId, modelId }: StoreKey,
  texts: readonly QueuedText[],
): Promise<number> {
  if (texts.length === 0) return 0
  const { numAffectedRows = 0n } = await sql`
    insert into embeddings (project_id, model_id, content_hash, text)
    select distinct on (hash) ${projectId}::uuid, ${modelId}, decode(hash, 'hex'), text
    from ${relationOf(texts)}
    order by hash
    on conflict do nothing`.execute(trx)
  return Number(numAffectedRows)
}

/**
 * Queues texts whose vectors were made before `madeBefore`, or never. Their vectors are deleted and computed
 * again; projections keep theirs until then.
 */
export async function requeueTexts(
  trx: DatabaseTransaction,
  { projectId, modelId }: StoreKey,
  texts: readonly QueuedText[],
  madeBefore: string,
): Promise<void> {
  if (texts.length === 0) return
  await sql`
    with given as (
      select distinct on (hash) decode(hash, 'hex') as content_hash, text
      from ${relationOf(texts)}
      order by hash
    ), requeued as (
      insert into embeddings as e (project_id, model_id, content_hash, text)
      select ${projectId}::uuid, ${modelId}, content_hash, text from given order by content_hash
      on conflict (project_id, model_id, content_hash) do update
        set text = excluded.text, embedded_at = null, leased_until = null, attempts = 0, last_error = null,
          token_bits = null
        where e.embedded_at < ${madeBefore}::timestamptz
      returning content_hash
    )
    delete from embedding_chunks where ctid = any(array(
      select made.place from requeued cross join lateral (
        select ctid as place from embedding_chunks
        where project_id = ${projectId} and model_id = ${modelId} and content_hash = requeued.content_hash offset 0
      ) made))`.execute(trx)
}

/**
 * Whether the row `e` of a text has all token bits that its model gives: as many as its chunks have tokens.
 */
export const areTokenBitsWhole = ({ projectId, modelId }: StoreKey): RawBuilder<boolean> =>
  hasTokenBits(modelId)
    ? sql<boolean>`coalesce(octet_length(e.token_bits) * 8 = (
        select sum(tokens * vector_dims(embedding)) from embedding_chunks
        where project_id = ${projectId} and model_id = ${modelId} and content_hash = e.content_hash), false)`
    : sql<boolean>`true`

interface LeasedRow {
  readonly project_id: string
  readonly content_hash: Buffer
  readonly text: string
}

/**
 * Leases up to `limit` queued texts, of all projects that `db` sees, for `leaseSeconds`. Workers never get
 * the same text: rows that another worker is just taking are skipped. When the lease runs out, others may
 * take them, in case the worker died.
 */
export async function leaseTexts(
  db: Database,
  modelId: string,
  { limit, leaseSeconds = 120 }: { limit: number; leaseSeconds?: number },
): Promise<LeasedText[]> {
  const { rows } = await sql<LeasedRow>`
    update embeddings set leased_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    where ctid = any(array(
      select ctid from embeddings
      where model_id = ${modelId} and embedded_at is null and (leased_until is null or ${isLeaseOver(sql`leased_until`)})
      order by leased_until nulls first
      limit ${limit}
      for update skip locked)) and ${commitUnflushed()}
    returning project_id, content_hash, text`.execute(db)
  return rows.map((row) => ({ projectId: row.project_id, hash: row.content_hash, text: row.text }))
}

/**
 * Stores vectors and token bits, and deletes the texts, which are no longer needed. Texts that were removed
 * from the store meanwhile stay removed.
 */
export async function storeVectors(
  db: Database,
  modelId: string,
  embedded: readonly EmbeddedText[],
): Promise<void> {
  const chunks = embedded.flatMap(({ projectId, hash, chunks: parts }) =>
    parts.map((part, chunk) => ({
      project_id: projectId,
      hash: hash.toString('hex'),
      chunk,
      start: part.start,
      end: part.end,
      tokens: ((part.tokenBits?.length ?? 0) * 8) / part.vector.length,
      embedding: pgvector.toSql([...part.vector]) as string,
    })),
  )
  const bits = embedded.map((text) => ({
    project_id: text.projectId,
    hash: text.hash.toString('hex'),
    bits: tokenBitsOf(text)?.toString('base64') ?? null,
  }))
  await sql`
    with given as materialized (
      select project_id, hash, decode(bits, 'base64') as bits
      from jsonb_to_recordset(${JSON.stringify(bits)}::jsonb) as text(project_id uuid, hash text, bits text)
    ), filled as (
      update embeddings e
      set embedded_at = now(), text = null, leased_until = null, last_error = null, token_bits = (
        select bits from given
        where given.project_id = e.project_id and given.hash = encode(e.content_hash, 'hex') limit 1)
      where ctid = any(${placesOf(modelId, embedded)}) and ${commitUnflushed()}
      returning project_id, content_hash, encode(content_hash, 'hex') as hash
    )
    insert into embedding_chunks (project_id, model_id, content_hash, chunk, span_start, span_end, tokens, embedding)
    select project_id, ${modelId}, content_hash, chunk, start, "end", tokens, embedding::halfvec
    from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb)
      as made(project_id uuid, hash text, chunk int, start int, "end" int, tokens int, embedding text)
    join filled using (project_id, hash)
    on conflict do nothing`.execute(db)
}

/** The token bits of all chunks, one after another; null if the model gives none. */
function tokenBitsOf({ chunks }: EmbeddedText): Buffer | null {
  const parts = chunks.flatMap(({ tokenBits }) => (tokenBits === null ? [] : [tokenBits]))
  return parts.length === 0 ? null : Buffer.concat(parts)
}

/**
 * Releases a text that could not be embedded. It is tried again after 1 s, 2 s, 4 s, … at most 5 minutes. If
 * the lease ran out and another worker has embedded it meanwhile, that stays.
 */
export async function releaseText(
  db: Database,
  modelId: string,
  { projectId, hash }: TextPlace,
  error: Error,
): Promise<void> {
  await sql`
    update embeddings set last_error = ${storableError(error.message)},
      leased_until = now() + make_interval(secs => least(300, power(2, least(attempts, 20) - 1)))
    where project_id = ${projectId} and model_id = ${modelId} and content_hash = ${hash} and embedded_at is null`.execute(
    db,
  )
}

/** Releases leased texts unchanged, for anybody to take at once: their worker stops. */
export async function releaseTexts(
  db: Database,
  modelId: string,
  texts: readonly TextPlace[],
): Promise<void> {
  await sql`
    update embeddings set leased_until = null, attempts = greatest(attempts - 1, 0)
    where ctid = any(${placesOf(modelId, texts)}) and embedded_at is null`.execute(db)
}

/**
 * Queues texts again that are marked as embedded but lack vectors or token bits, as after a restore of only
 * one of the tables. No worker would ever take them otherwise.
 */
export async function requeueLostTexts(
  trx: DatabaseTransaction,
  { projectId, modelId }: StoreKey,
  texts: readonly QueuedText[],
): Promise<void> {
  if (texts.length === 0) return
  await sql`
    with given as (
      select distinct on (hash) hash, text
      from ${relationOf(texts)}
    )
    update embeddings e set embedded_at = null, leased_until = null, attempts = 0, last_error = null,
      text = (select text from given where hash = encode(e.content_hash, 'hex'))
    where ctid = any(${placesOf(
      modelId,
      texts.map(({ hash }) => ({ projectId, hash })),
    )}) and embedded_at is not null
      and (not exists (
        select from embedding_chunks
        where project_id = ${projectId} and model_id = ${modelId} and content_hash = e.content_hash offset 0)
        or not ${areTokenBitsWhole({ projectId, modelId })})`.execute(trx)
}

/** Makes failed texts due now, as if they had not been tried. Leased ones are left alone. */
export async function retryTexts(
  trx: DatabaseTransaction,
  { projectId, modelId }: StoreKey,
  texts: readonly { readonly hash: Buffer }[],
): Promise<void> {
  if (texts.length === 0) return
  await sql`
    update embeddings set leased_until = null, attempts = 0, last_error = null
    where project_id = ${projectId} and model_id = ${modelId} and embedded_at is null and last_error is not null
      and content_hash = any(array(
        select decode(hash, 'hex') from unnest(${hexOf(texts)}::text[]) as hash))`.execute(trx)
}

/** A part of an embedded text with its vector: UTF-16 offsets, `end` exclusive. */
export interface VectorChunk {
  readonly start: number
  readonly end: number
  readonly embedding: readonly number[]
}

interface ChunkRow {
  readonly hash: string
  readonly start: number
  readonly end: number
  readonly embedding: string
}

/**
 * The stored vectors of these texts of the project, each with its chunks in order.
 * @param hashes hashes of the texts, hexadecimal; texts without vectors are missing in the result
 */
export async function readStoredVectors(
  { db, projectId }: ProjectScope,
  modelId: string,
  hashes: readonly string[],
): Promise<Map<string, VectorChunk[]>> {
  const chunksOf = new Map<string, VectorChunk[]>()
  if (hashes.length === 0) return chunksOf
  const { rows } = await sql<ChunkRow>`
    select encode(given.content_hash, 'hex') as hash, c.span_start as start, c.span_end as "end", c.embedding::text as embedding
    from (
      select decode(hash, 'hex') as content_hash from unnest(${hashes}::text[]) as hash offset 0
    ) given cross join lateral (
      select from embeddings
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash
        and embedded_at is not null offset 0
    ) e cross join lateral (
      select * from embedding_chunks
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash offset 0
    ) c
    order by given.content_hash, c.chunk`.execute(db)
  for (const { hash, start, end, embedding } of rows) {
    const chunks = chunksOf.get(hash) ?? []
    chunksOf.set(hash, chunks)
    chunks.push({ start, end, embedding: JSON.parse(embedding) as number[] })
  }
  return chunksOf
}
