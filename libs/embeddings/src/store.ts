import { createHash } from 'node:crypto'
import { isLeaseOver } from '@daybook/postgres/clock'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import pgvector from 'pgvector'
import type { EmbeddedChunk } from './embed-in-chunks.ts'

/*
 * The embedding store: each distinct text once per model, however many memories, versions, projections and rebuilds
 * need it. A row without vectors is a piece of work:
 *
 *   queued ──claim──▶ claimed ──store──▶ embedded
 *     ▲                  │ failed, or the lease ran out because the worker died
 *     └──────────────────┘
 */

/** A text's place in the store: SHA-256 of its UTF-8. */
export function contentHash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export interface QueuedText {
  readonly hash: Buffer
  readonly text: string
}

export interface EmbeddedText {
  readonly hash: Buffer
  readonly chunks: readonly EmbeddedChunk[]
}

/** Puts texts into the queue that the store does not know yet. In the order of their hashes, so that two cannot deadlock. */
export async function queueTexts(
  trx: DatabaseTransaction,
  modelId: string,
  texts: readonly QueuedText[],
): Promise<void> {
  if (texts.length === 0) return
  const rows = texts.map(({ hash, text }) => ({ hash: hash.toString('hex'), text }))
  await sql`
    insert into embeddings (model_id, content_hash, text)
    select distinct on (hash) ${modelId}, decode(hash, 'hex'), text
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(hash text, text text)
    order by hash
    on conflict do nothing`.execute(trx)
}

/**
 * Puts texts into the queue whose vectors were made before a moment, or never: their vectors go, and are made anew. What
 * projections hold of them stays until then.
 */
export async function requeueTexts(
  trx: DatabaseTransaction,
  modelId: string,
  texts: readonly QueuedText[],
  madeBefore: string,
): Promise<void> {
  if (texts.length === 0) return
  const rows = texts.map(({ hash, text }) => ({ hash: hash.toString('hex'), text }))
  await sql`
    with given as (
      select distinct on (hash) decode(hash, 'hex') as content_hash, text
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(hash text, text text)
      order by hash
    ), requeued as (
      insert into embeddings as e (model_id, content_hash, text)
      select ${modelId}, content_hash, text from given order by content_hash
      on conflict (model_id, content_hash) do update
        set text = excluded.text, embedded_at = null, claimed_until = null, attempts = 0, last_error = null
        where e.embedded_at < ${madeBefore}::timestamptz
      returning content_hash
    )
    delete from embedding_chunks
    where model_id = ${modelId} and content_hash in (select content_hash from requeued)`.execute(trx)
}

/**
 * Takes up to `limit` queued texts for `leaseSeconds`. Workers never get the same text: rows that another one is just
 * taking are skipped. After the lease they are free again, for a worker that died with them.
 */
export async function claimTexts(
  db: Database,
  modelId: string,
  { limit, leaseSeconds = 120 }: { limit: number; leaseSeconds?: number },
): Promise<QueuedText[]> {
  const { rows } = await sql<{ content_hash: Buffer; text: string }>`
    update embeddings set claimed_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    where model_id = ${modelId} and content_hash = any(array(
      select content_hash from embeddings
      where model_id = ${modelId} and embedded_at is null and (claimed_until is null or ${isLeaseOver(sql`claimed_until`)})
      order by claimed_until nulls first
      limit ${limit}
      for update skip locked))
    returning content_hash, text`.execute(db)
  return rows.map((row) => ({ hash: row.content_hash, text: row.text }))
}

/** Stores vectors. Their texts are not needed any more and go. */
export async function storeVectors(
  db: Database,
  modelId: string,
  embedded: readonly EmbeddedText[],
): Promise<void> {
  const chunks = embedded.flatMap(({ hash, chunks: parts }) =>
    parts.map((part, chunk) => ({
      hash: hash.toString('hex'),
      chunk,
      start: part.start,
      end: part.end,
      embedding: pgvector.toSql([...part.vector]) as string,
    })),
  )
  await sql`
    with filled as (
      insert into embedding_chunks (model_id, content_hash, chunk, span_start, span_end, embedding)
      select ${modelId}, decode(hash, 'hex'), chunk, start, "end", embedding::vector
      from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb) as given(hash text, chunk int, start int, "end" int, embedding text)
      on conflict do nothing
    )
    update embeddings set embedded_at = now(), text = null, claimed_until = null, last_error = null
    where model_id = ${modelId}
      and content_hash = any(array(select decode(hash, 'hex') from unnest(${embedded.map(({ hash }) => hash.toString('hex'))}::text[]) as hash))`.execute(
    db,
  )
}

/**
 * Gives a text back that could not be embedded; it is tried again after 1 s, 2 s, 4 s, … at most 5 minutes. One that
 * another worker has embedded meanwhile, as the lease ran out, stays so.
 */
export async function releaseText(db: Database, modelId: string, hash: Buffer, error: Error): Promise<void> {
  await sql`
    update embeddings set last_error = ${error.message.slice(0, 2_000).replaceAll('\u0000', ' ').toWellFormed()},
      claimed_until = now() + make_interval(secs => least(300, power(2, least(attempts, 20) - 1)))
    where model_id = ${modelId} and content_hash = ${hash} and embedded_at is null`.execute(db)
}

/** Gives claimed texts back as they were, to be taken by anybody at once: whoever claimed them stops. */
export async function giveBackTexts(db: Database, modelId: string, hashes: readonly Buffer[]): Promise<void> {
  await sql`
    update embeddings set claimed_until = null, attempts = greatest(attempts - 1, 0)
    where model_id = ${modelId} and embedded_at is null and content_hash = any(array(
      select decode(hash, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as hash))`.execute(
    db,
  )
}

/**
 * Puts texts back into the queue that are said to be embedded and have no vectors, as where a table was restored without the
 * other: no worker would ever take them again.
 */
export async function requeueLostTexts(
  trx: DatabaseTransaction,
  modelId: string,
  texts: readonly QueuedText[],
): Promise<void> {
  if (texts.length === 0) return
  const rows = texts.map(({ hash, text }) => ({ hash: hash.toString('hex'), text }))
  await sql`
    update embeddings e set text = given.text, embedded_at = null, claimed_until = null, attempts = 0, last_error = null
    from (
      select distinct on (hash) decode(hash, 'hex') as content_hash, text
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(hash text, text text)
    ) given
    where e.model_id = ${modelId} and e.content_hash = given.content_hash and e.embedded_at is not null
      and not exists (
        select from embedding_chunks c where c.model_id = e.model_id and c.content_hash = e.content_hash)`.execute(
    trx,
  )
}

/** Lets texts that failed be tried again now, as if they never had been. Those that somebody is at stay with them. */
export async function retryTexts(
  trx: DatabaseTransaction,
  modelId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  if (hashes.length === 0) return
  await sql`
    update embeddings set claimed_until = null, attempts = 0, last_error = null
    where model_id = ${modelId} and embedded_at is null and last_error is not null
      and content_hash = any(array(
        select decode(hash, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as hash))`.execute(
    trx,
  )
}
