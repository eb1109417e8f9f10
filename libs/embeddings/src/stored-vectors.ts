import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

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
