import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { VectorChunk } from './document.ts'

/**
 * The vectors that the embedding store has of these texts, each with its chunks in order.
 * @param hashes of the texts, hexadecimal; those that are not embedded yet are not in the result
 */
export async function readStoredVectors(
  db: Queryable,
  modelId: string,
  hashes: readonly string[],
): Promise<Map<string, VectorChunk[]>> {
  const chunksOf = new Map<string, VectorChunk[]>()
  if (hashes.length === 0) return chunksOf
  const { rows } = await sql<{ hash: string; start: number; end: number; embedding: string }>`
    select encode(content_hash, 'hex') as hash, c.span_start as start, c.span_end as "end", c.embedding::text as embedding
    from embeddings e join embedding_chunks c using (model_id, content_hash)
    where model_id = ${modelId} and e.embedded_at is not null
      and content_hash = any(array(select decode(hash, 'hex') from unnest(${hashes}::text[]) as hash))
    order by content_hash, c.chunk`.execute(db)
  for (const { hash, start, end, embedding } of rows) {
    const chunks = chunksOf.get(hash) ?? []
    chunksOf.set(hash, chunks)
    chunks.push({ start, end, embedding: JSON.parse(embedding) as number[] })
  }
  return chunksOf
}
