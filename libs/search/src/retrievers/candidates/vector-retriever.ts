import { sql } from 'kysely'
import { type VectorHit, vectorRetriever } from '../postgres/vector-retriever.ts'
import type { RetrieverInput } from '../retriever-input.ts'
import type { CandidateSource, NearChunk } from './candidate-source.ts'

/**
 * The vector retriever on an engine beside Postgres. A memory's nearest chunk counts, and Postgres checks
 * every hit. The retriever runs on Postgres instead in two cases: too few hits pass and the engine has cut
 * off its candidates, or forgotten memories are asked for, which have no vectors in the engine.
 *
 * @throws EngineFailed
 */
export async function candidateVectorRetriever(
  input: RetrieverInput,
  source: CandidateSource,
  query: Float32Array,
): Promise<VectorHit[]> {
  if (input.includeForgotten) return vectorRetriever(input, query)
  const { chunks, isCutOff } = await source.nearest(query)
  const best = new Map<string, NearChunk>()
  for (const chunk of chunks) if (!best.has(chunk.memoryId)) best.set(chunk.memoryId, chunk)
  const checked = await satisfying(
    input,
    new Map([...best.values()].map(({ memoryId, version }) => [memoryId, version])),
  )
  const hits = [...best.values()].flatMap(({ memoryId, cosine, spanStart, spanEnd }) => {
    const contentHash = checked.get(memoryId)
    return contentHash === undefined ? [] : [{ memoryId, score: cosine, contentHash, spanStart, spanEnd }]
  })
  return hits.length < input.limit && isCutOff ? vectorRetriever(input, query) : hits.slice(0, input.limit)
}

/**
 * The memories that are hits according to Postgres. The engine may be behind Postgres or ahead. A vector
 * counts only if its version has the text that the memory has now, so that no score belongs to a text that is
 * not shown.
 *
 * @param found the versions of what the engine found, by id
 * @returns the hashes of their texts, in hexadecimal, by id
 */
async function satisfying(
  { scope, readModel, condition }: RetrieverInput,
  found: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> {
  const { memories, versions } = readModel.tables
  const { rows } = await sql<{ memory_id: string; content_hash: string }>`
    select m.memory_id, encode(m.content_hash, 'hex') as content_hash
    from unnest(${[...found.keys()]}::uuid[], ${[...found.values()]}::int[])
      found(memory_id, version)
    cross join lateral (
      select * from ${memories} where project_id = ${scope.projectId} and memory_id = found.memory_id offset 0
    ) m
    where ${condition} and (m.version = found.version or m.content_hash = (
      select content_hash from ${versions}
      where project_id = ${scope.projectId} and memory_id = found.memory_id and version = found.version))`.execute(
    scope.db,
  )
  return new Map(rows.map((row) => [row.memory_id, row.content_hash]))
}
