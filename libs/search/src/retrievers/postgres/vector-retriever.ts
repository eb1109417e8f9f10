import { vectorIndex } from '@daybook/pgvector/generation-tables'
import { type RawBuilder, sql } from 'kysely'
import pgvector from 'pgvector'
import type { FoundMemory } from '../../ranking/retriever.ts'
import { timed } from '../../timed.ts'
import type { RetrieverInput } from '../query-terms.ts'
import type { SelectedMemories } from './few-satisfying.ts'

/**
 * With fewer memories than this, every vector of the project is compared. That is exact, and an HNSW index
 * shared by all projects would return too few hits of a small one. 5,000 comparisons of 384 numbers take
 * about 5 ms on PGlite.
 */
export const EXACT_BELOW = 5_000

/**
 * The share of `limit` that is enough from the index, unless the answer needs more. Several chunks of one
 * long text may be near the query, so as many chunks as hits wanted may give fewer hits. But asking once more,
 * for three times as many, takes longer than the first time, which is not worth the last of a hundred
 * candidates.
 */
const ENOUGH = 0.9

/** The factor by which more chunks are requested if that was not enough. */
const WIDER = 3

/** A hit with the nearest chunk of its embedded text (UTF-16 offsets). */
export interface VectorHit extends FoundMemory {
  readonly spanStart: number
  readonly spanEnd: number
}

interface Row {
  readonly memory_id: string
  /** Null where the memory's row was not read. */
  readonly content_hash: string | null
  readonly distance: number
  readonly span_start: number
  readonly span_end: number
  /** The chunks of all rows together, before the best were taken. */
  readonly chunks: number
}

/**
 * The vector retriever: the cosine similarity of the query's vector and each memory's best chunk.
 *
 * An HNSW scan ends after `hnsw.max_scan_tuples` (20,000) rows of any project. So for a project or filter
 * that covers a small part of a large database, it returns too few rows, or none. If the index gives fewer
 * hits than wanted, everything that satisfies the condition is compared instead, which is fast because it is
 * little.
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
  // Without a type: Postgres takes that of the column, `halfvec` or, in generations of before, `vector`. With
  // the other type, the index would not serve.
  const embedding = sql`${pgvector.toSql([...query]) as string}`
  const indexed = input.indexed ?? (await indexedMemories(input))
  if (indexed >= exactBelow) {
    const few = (await input.few?.()) ?? null
    if (few !== null) return (await nearest(input, embedding, oneByOne(input, embedding, few))).hits
    const enough = Math.min(Math.max(input.limit * ENOUGH, input.needed ?? input.limit), indexed)
    // All that the index gives are put in order by cosine, and the nearest memories kept.
    for (let asked = vectorIndex(input.readModel.generation).taken(input.limit); ; asked *= WIDER) {
      const { hits, chunks } = await nearest(input, embedding, approximate(input, embedding, asked))
      if (hits.length >= enough) return hits
      if (chunks < asked) break
    }
  }
  return (await nearest(input, embedding, exact(input, embedding))).hits
}

/** The number of the project's memories in the indexes. */
export async function indexedMemories({ scope, readModel }: RetrieverInput): Promise<number> {
  const { rows } = await sql<{ memories: number }>`
    select memories from ${readModel.tables.lexicalStats} where project_id = ${scope.projectId}`.execute(
    scope.db,
  )
  return rows[0]?.memories ?? 0
}

/** The hits from some chunks, and the number of these chunks. */
interface Nearest {
  readonly hits: VectorHit[]
  readonly chunks: number
}

/** Each memory's best chunk, among the given chunks and those of forgotten memories; the nearest first. */
async function nearest(
  input: RetrieverInput,
  embedding: RawBuilder<unknown>,
  live: RawBuilder<unknown>,
): Promise<Nearest> {
  const all = input.includeForgotten ? sql`(${live}) union all (${forgotten(input, embedding)})` : live
  // Materialized, so that what is sorted are distances and not vectors: of 5,000, that takes a third less time.
  const { rows } = await sql<Row>`
    with chunks as materialized (${all})
    select best.memory_id, best.distance, best.span_start, best.span_end, encode(best.content_hash, 'hex') as content_hash,
      (select count(*)::int from chunks) as chunks
    from (
      select distinct on (memory_id) memory_id, content_hash, distance, span_start, span_end
      from chunks order by memory_id, distance, span_start
    ) best
    order by distance, memory_id limit ${input.limit}`.execute(input.scope.db)
  return {
    chunks: rows[0]?.chunks ?? 0,
    hits: rows.map((row) => ({
      memoryId: row.memory_id,
      score: 1 - row.distance,
      ...(row.content_hash !== null && { contentHash: row.content_hash }),
      spanStart: row.span_start,
      spanEnd: row.span_end,
    })),
  }
}

/**
 * In the form that the index supports: the nearest first, then the condition. `offset 0` makes each memory a
 * lookup by id; without it, a filter by context makes the planner read the whole context for each.
 */
function approximate(
  { scope, readModel, condition }: RetrieverInput,
  embedding: RawBuilder<unknown>,
  chunks: number,
) {
  const { vectors, memories } = readModel.tables
  const { distance } = vectorIndex(readModel.generation)
  return sql`
    select v.memory_id, m.content_hash, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${vectors} v cross join lateral (
      select * from ${memories} where project_id = v.project_id and memory_id = v.memory_id offset 0
    ) m
    where v.project_id = ${scope.projectId} and ${condition}
    order by ${distance(sql`v.embedding`, embedding)} limit ${chunks}`
}

/** Without an order that the index could serve, so every vector is compared and no chunk is left out. */
function exact({ scope, readModel, condition }: RetrieverInput, embedding: RawBuilder<unknown>) {
  const { vectors, memories } = readModel.tables
  return sql`
    select v.memory_id, m.content_hash, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${vectors} v join ${memories} m on m.project_id = v.project_id and m.memory_id = v.memory_id
    where v.project_id = ${scope.projectId} and ${condition}`
}

/** As `exact`, of known memories: looked up by their ids, or picked from all by their numbers. */
function oneByOne(
  { scope, readModel }: RetrieverInput,
  embedding: RawBuilder<unknown>,
  { ids, numbers }: SelectedMemories,
) {
  const { vectors, memories } = readModel.tables
  const which =
    ids === null
      ? isMarked(
          sql`coalesce(v.number, (select number from ${memories} m where m.project_id = v.project_id and m.memory_id = v.memory_id))`,
          numbers,
        )
      : sql`v.memory_id = any(${ids}::uuid[])`
  return sql`
    select v.memory_id, null::bytea as content_hash, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${vectors} v where v.project_id = ${scope.projectId} and ${which}`
}

/**
 * Whether a number is marked. A bit for each: a list of 5,000 ids took the server twice as long, to read, to plan
 * and to look up.
 */
function isMarked(number: RawBuilder<unknown>, marks: Uint8Array): RawBuilder<unknown> {
  const bits = Buffer.alloc(Math.ceil(marks.length / 8))
  for (const [at, mark] of marks.entries())
    if (mark === 1) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return sql`case when ${number} < ${marks.length} then get_bit(${bits}::bytea, ${number}) = 1 else false end`
}

/**
 * The chunks of forgotten memories, which have no rows in the index; their vectors are still in the embedding
 * store.
 */
function forgotten({ scope, readModel, condition }: RetrieverInput, embedding: RawBuilder<unknown>) {
  const { generation, tables } = readModel
  return sql`
    select m.memory_id, m.content_hash, c.embedding <=> ${embedding} as distance, c.span_start, c.span_end
    from ${tables.memories} m cross join lateral (
      select * from embedding_chunks
      where project_id = m.project_id and model_id = ${generation.modelId} and content_hash = m.content_hash offset 0
    ) c
    where m.project_id = ${scope.projectId} and m.forgotten and ${condition}`
}
