import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { areTokenBitsWhole } from './store.ts'

/*
 * Vectors and token bits that one Daybook takes from another, so that a text is embedded once for both. As they are stored:
 * nothing is rounded on the way.
 */

/** A text's vectors, without the text. */
export interface TravellingVectors {
  /** The text's content hash, in hex. */
  readonly hash: string
  /** The token bits of all chunks, one after another, in base64; null if the model gives none. */
  readonly tokenBits: string | null
  readonly chunks: readonly TravellingChunk[]
}

/** A part of a text: UTF-16 offsets, `end` exclusive. */
interface TravellingChunk {
  readonly start: number
  readonly end: number
  readonly tokens: number
  /** As the database prints it: `[0.1,0.2,…]`. */
  readonly vector: string
}

interface TravellingRow extends TravellingChunk {
  readonly hash: string
  readonly bits: string | null
}

/** The vectors of those of the texts that have them whole. @param hashes content hashes in hex */
export async function readTravellingVectors(
  { db, projectId }: ProjectScope,
  modelId: string,
  hashes: readonly string[],
): Promise<TravellingVectors[]> {
  if (hashes.length === 0) return []
  const { rows } = await sql<TravellingRow>`
    select encode(given.content_hash, 'hex') as hash, encode(e.token_bits, 'base64') as bits, c.span_start as start,
      c.span_end as "end", c.tokens, c.embedding::text as vector
    from (
      select decode(hash, 'hex') as content_hash from unnest(${hashes}::text[]) as hash offset 0
    ) given cross join lateral (
      select e.content_hash, e.token_bits from embeddings e
      where e.project_id = ${projectId} and e.model_id = ${modelId} and e.content_hash = given.content_hash
        and e.embedded_at is not null and ${areTokenBitsWhole({ projectId, modelId })} offset 0
    ) e cross join lateral (
      select * from embedding_chunks
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash offset 0
    ) c
    order by given.content_hash, c.chunk`.execute(db)
  const texts = new Map<string, { hash: string; tokenBits: string | null; chunks: TravellingChunk[] }>()
  for (const { hash, bits, ...chunk } of rows) {
    const text = texts.get(hash) ?? { hash, tokenBits: bits?.replaceAll('\n', '') ?? null, chunks: [] }
    texts.set(hash, text)
    text.chunks.push(chunk)
  }
  return [...texts.values()]
}

/**
 * Stores vectors from elsewhere, for texts that have none here: whether or not they wait to be embedded.
 * @returns how many texts had none
 */
export async function storeTravellingVectors(
  { db, projectId }: ProjectScope,
  modelId: string,
  given: readonly TravellingVectors[],
): Promise<number> {
  if (given.length === 0) return 0
  const texts = given.map(({ hash, tokenBits }) => ({ hash, bits: tokenBits }))
  const chunks = given.flatMap(({ hash, chunks: parts }) =>
    parts.map(({ start, end, tokens, vector }, chunk) => ({ hash, chunk, start, end, tokens, vector })),
  )
  const { rows } = await sql<{ stored: number }>`
    with given as materialized (
      select decode(hash, 'hex') as content_hash, decode(bits, 'base64') as bits
      from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as text(hash text, bits text)
    ), filled as (
      insert into embeddings as e (project_id, model_id, content_hash, text, embedded_at, token_bits)
      select ${projectId}::uuid, ${modelId}, content_hash, null, now(), bits from given order by content_hash
      on conflict (project_id, model_id, content_hash) do update set
        embedded_at = excluded.embedded_at, text = null, leased_until = null, last_error = null,
        token_bits = excluded.token_bits
        where e.embedded_at is null
      returning content_hash
    ), made as (
      insert into embedding_chunks (project_id, model_id, content_hash, chunk, span_start, span_end, tokens, embedding)
      select ${projectId}::uuid, ${modelId}, filled.content_hash, chunk, start, "end", tokens, vector::halfvec
      from jsonb_to_recordset(${JSON.stringify(chunks)}::jsonb)
        as part(hash text, chunk int, start int, "end" int, tokens int, vector text)
      join filled on filled.content_hash = decode(part.hash, 'hex')
      on conflict do nothing
    )
    select count(*) as stored from filled`.execute(db)
  return rows[0]?.stored ?? 0
}
