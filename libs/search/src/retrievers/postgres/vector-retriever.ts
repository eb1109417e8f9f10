import { type RawBuilder, sql } from 'kysely'
import pgvector from 'pgvector'
import type { RetrieverHit } from '../../ranking/retriever.ts'
import { timed } from '../../timed.ts'
import type { RetrieverInput } from '../retriever-input.ts'

/**
 * Below this many memories every vector of the project is compared: that is exact, and an HNSW index shared by all
 * projects would return too little of a small one. 5,000 comparisons of 384 numbers take about 5 ms on PGlite.
 */
export const EXACT_BELOW = 5_000

/**
 * The share of `limit` with which a look at the index is enough, unless the answer needs more. Chunks of one long text may all be near the query, so
 * as many chunks as hits may come to fewer; but a scan for more chunks than `hnsw.ef_search` (100, as are wanted) begins
 * anew and takes half as long again, which is not worth the last of a hundred candidates.
 */
const ENOUGH = 0.9

/** How many times as many chunks are asked for where that was not enough. */
const WIDER = 3

/** A hit, with the part of the embedded text that came nearest (UTF-16 offsets). */
export interface VectorHit extends RetrieverHit {
  readonly spanStart: number
  readonly spanEnd: number
}

interface Row {
  readonly memory_id: string
  readonly distance: number
  readonly span_start: number
  readonly span_end: number
  /** Of all rows together, before the best were taken. */
  readonly chunks: number
}

/**
 * The vector retriever: cosine similarity of the query's vector and each memory's, of whose chunks the best counts.
 *
 * An HNSW scan ends after `hnsw.max_scan_tuples` (20,000) rows, whoever's they are, so a project or filter that leaves
 * little of a large database gets too few rows, or none. Where the index gave fewer hits than wanted, everything that
 * satisfies the condition is compared: the fewer that is, the faster.
 *
 * @param exactBelow for tests
 */
export function vectorRetriever(
  input: RetrieverInput,
  query: Float32Array,
  exactBelow = EXACT_BELOW,
): Promise<VectorHit[]> {
  return timed(input.onRetriever, 'vector', () => nearestToQuery(input, query, exactBelow))
}

async function nearestToQuery(
  input: RetrieverInput,
  query: Float32Array,
  exactBelow: number,
): Promise<VectorHit[]> {
  const embedding = sql`${pgvector.toSql([...query]) as string}::vector`
  const indexed = await indexedMemories(input)
  if (indexed >= exactBelow) {
    const enough = Math.min(Math.max(input.limit * ENOUGH, input.needed ?? input.limit), indexed)
    for (let asked = input.limit; ; asked *= WIDER) {
      const { hits, chunks } = await nearest(input, embedding, approximate(input, embedding, asked))
      if (hits.length >= enough) return hits
      if (chunks < asked) break
    }
  }
  return (await nearest(input, embedding, exact(input, embedding))).hits
}

/** How many memories of the project the indexes hold. */
async function indexedMemories({ scope, readModel }: RetrieverInput): Promise<number> {
  const { rows } = await sql<{ memories: number }>`
    select memories from ${readModel.tables.lexicalStats} where project_id = ${scope.projectId}`.execute(
    scope.db,
  )
  return rows[0]?.memories ?? 0
}

/** What some chunks come to, and how many they were. */
interface Nearest {
  readonly hits: VectorHit[]
  readonly chunks: number
}

/** Each memory's best chunk, of the chunks given and those of forgotten memories; the nearest first. */
async function nearest(
  input: RetrieverInput,
  embedding: RawBuilder<unknown>,
  live: RawBuilder<unknown>,
): Promise<Nearest> {
  const all = input.includeForgotten ? sql`(${live}) union all (${forgotten(input, embedding)})` : live
  const { rows } = await sql<Row>`
    select best.*, (sum(chunks) over ())::int as chunks from (
      select distinct on (memory_id) memory_id, distance, span_start, span_end, count(*) over (partition by memory_id) as chunks
      from (${all}) chunks order by memory_id, distance, span_start
    ) best
    order by distance, memory_id limit ${input.limit}`.execute(input.scope.db)
  return {
    chunks: rows[0]?.chunks ?? 0,
    hits: rows.map((row) => ({
      memoryId: row.memory_id,
      score: 1 - row.distance,
      spanStart: row.span_start,
      spanEnd: row.span_end,
    })),
  }
}

/**
 * As the index wants it: the nearest first, then what the condition leaves of them. `offset 0` keeps each of them a lookup
 * by id; without, a filter by context has the whole context gone through for each.
 */
function approximate(
  { scope, readModel, condition }: RetrieverInput,
  embedding: RawBuilder<unknown>,
  chunks: number,
) {
  const { vectors, memories } = readModel.tables
  return sql`
    select v.memory_id, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${vectors} v cross join lateral (
      select * from ${memories} where project_id = v.project_id and memory_id = v.memory_id offset 0
    ) m
    where v.project_id = ${scope.projectId} and ${condition}
    order by v.embedding <=> ${embedding} limit ${chunks}`
}

/** Without an order of its own, which the index could serve, so every vector is compared; no chunk is left out. */
function exact({ scope, readModel, condition }: RetrieverInput, embedding: RawBuilder<unknown>) {
  const { vectors, memories } = readModel.tables
  return sql`
    select v.memory_id, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${vectors} v join ${memories} m on m.project_id = v.project_id and m.memory_id = v.memory_id
    where v.project_id = ${scope.projectId} and ${condition}`
}

/** Forgotten memories have no rows in the index; their vectors are still in the embedding store. */
function forgotten({ scope, readModel, condition }: RetrieverInput, embedding: RawBuilder<unknown>) {
  const { generation, tables } = readModel
  return sql`
    select m.memory_id, c.embedding <=> ${embedding} as distance, c.span_start, c.span_end
    from ${tables.memories} m cross join lateral (
      select * from embedding_chunks
      where project_id = m.project_id and model_id = ${generation.modelId} and content_hash = m.content_hash offset 0
    ) c
    where m.project_id = ${scope.projectId} and m.forgotten and ${condition}`
}
