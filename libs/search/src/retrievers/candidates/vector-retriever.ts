import type { CandidateSource } from '@daybook/projection/engine/search-engine'
import { sql } from 'kysely'
import pgvector from 'pgvector'
import { type VectorHit, vectorRetriever } from '../postgres/vector-retriever.ts'
import type { RetrieverInput } from '../query-terms.ts'

/**
 * The vector retriever on an engine beside Postgres. The engine says which memories are near. Postgres checks
 * them, and compares the vectors of the texts that they have now, so no score belongs to a text that is not shown,
 * however far the engine is behind. The retriever runs on Postgres instead in two cases: too few hits pass and the engine has cut
 * off its candidates, or forgotten memories are asked for, which have no vectors in the engine.
 *
 * @param modelId of the engine's vectors, and of the query's
 * @throws EngineFailed
 */
export async function candidateVectorRetriever(
  input: RetrieverInput,
  source: CandidateSource,
  query: Float32Array,
  modelId: string,
): Promise<VectorHit[]> {
  if (input.includeForgotten) return vectorRetriever(input, query)
  const { memoryIds, isCutOff } = await source.nearest(query)
  const hits = await compare(input, memoryIds, query, modelId)
  return hits.length < input.limit && isCutOff ? vectorRetriever(input, query) : hits.slice(0, input.limit)
}

interface Row {
  readonly memory_id: string
  readonly content_hash: string
  readonly distance: number
  readonly span_start: number
  readonly span_end: number
}

/** The candidates that are hits, each with its best chunk, the nearest first. */
async function compare(
  { scope, readModel, condition }: RetrieverInput,
  memoryIds: readonly string[],
  query: Float32Array,
  modelId: string,
): Promise<VectorHit[]> {
  const { memories, vectors } = readModel.tables
  // The read model keeps a text's vectors while they are computed again, and the embedding store does not.
  const chunks =
    modelId === readModel.generation.modelId
      ? sql`${vectors} where project_id = ${scope.projectId} and memory_id = m.memory_id`
      : sql`embedding_chunks
          where project_id = ${scope.projectId} and model_id = ${modelId} and content_hash = m.content_hash`
  // `offset 0` makes each memory and its chunks a lookup of their own.
  const { rows } = await sql<Row>`
    select * from (
      select distinct on (m.memory_id) m.memory_id, encode(m.content_hash, 'hex') as content_hash,
        c.embedding <=> ${pgvector.toSql([...query]) as string} as distance, c.span_start, c.span_end
      from unnest(${memoryIds}::uuid[]) found(memory_id)
      cross join lateral (
        select * from ${memories} where project_id = ${scope.projectId} and memory_id = found.memory_id offset 0
      ) m
      cross join lateral (select * from ${chunks} offset 0) c
      where ${condition}
      order by m.memory_id, distance, c.span_start
    ) best
    order by distance, memory_id`.execute(scope.db)
  return rows.map((row) => ({
    memoryId: row.memory_id,
    score: 1 - row.distance,
    contentHash: row.content_hash,
    spanStart: row.span_start,
    spanEnd: row.span_end,
  }))
}
