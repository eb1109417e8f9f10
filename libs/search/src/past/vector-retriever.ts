import { vectorIndex } from '@daybook/pgvector/generation-tables'
import { withSupersededTexts } from '@daybook/pgvector/read/past-memories'
import { type RawBuilder, sql } from 'kysely'
import pgvector from 'pgvector'
import { EXACT_BELOW, indexedMemories, type VectorHit } from '../retrievers/postgres/vector-retriever.ts'
import { timed } from '../timed.ts'
import type { PastInput } from './past-input.ts'

/** The nearest texts, and how many have no vector yet. */
export interface PastVectorHits {
  readonly hits: readonly VectorHit[]
  readonly waiting: number
}

interface FoundRow {
  readonly memory_id: string
  readonly version: number
  readonly hash: string
  readonly distance: number
  readonly span_start: number
  readonly span_end: number
}

/** Without a text that has a vector there is one row, with null in all columns but the first. */
type Row = { readonly waiting: number } & { readonly [Column in keyof FoundRow]: FoundRow[Column] | null }

const isFound = (row: Row): row is Row & FoundRow => row.memory_id !== null

/**
 * The vector retriever of past texts. Those that are still the memory's text are found by the index of present
 * vectors. Of all others every vector is compared, from the embedding store, where they stay: a project has
 * far fewer of them, and an index would keep another copy of each.
 *
 * Like for present ones, the index is left out for small projects, and if too few of what it finds satisfy
 * the condition.
 */
export function pastVectorRetriever(input: PastInput, query: Float32Array): Promise<PastVectorHits> {
  return timed(input.onRetriever, 'vector', () => nearestTexts(input, query))
}

async function nearestTexts(input: PastInput, query: Float32Array): Promise<PastVectorHits> {
  // Without a type, for the reason in the retriever of present texts.
  const embedding = sql`${pgvector.toSql([...query]) as string}`
  const total = await indexedMemories(input)
  if (total >= EXACT_BELOW) {
    const near = await nearest(input, embedding, indexedTexts(input, embedding))
    if (near.hits.length >= Math.min(input.limit, total)) return near
  }
  return nearest(input, embedding, everyText(input, embedding))
}

async function nearest(
  input: PastInput,
  embedding: RawBuilder<unknown>,
  present: RawBuilder<unknown>,
): Promise<PastVectorHits> {
  const { rows } = await sql<Row>`
    with near as materialized (
      (${present}) union all (${supersededTexts(input, embedding)})
    )
    select waiting.texts as waiting, best.*
    from (select count(distinct hash) as texts from near where distance is null) waiting left join (
      select * from (
        select distinct on (memory_id, hash) memory_id, version, encode(hash, 'hex') as hash, distance, span_start, span_end
        from near where distance is not null order by memory_id, hash, distance, span_start, version desc
      ) closest order by distance, memory_id, hash limit ${input.limit}
    ) best on true
    order by best.distance, best.memory_id, best.hash`.execute(input.scope.db)
  return {
    waiting: rows[0]?.waiting ?? 0,
    hits: rows.filter(isFound).map((row) => ({
      memoryId: input.texts.idOf({ memoryId: row.memory_id, version: row.version, hash: row.hash }),
      score: 1 - row.distance,
      spanStart: row.span_start,
      spanEnd: row.span_end,
    })),
  }
}

/** Texts that are still those of their memories, in the form that the index supports. */
const indexedTexts = (
  { scope, readModel, past, condition, limit }: PastInput,
  embedding: RawBuilder<unknown>,
) => {
  const { distance, taken } = vectorIndex(readModel.generation)
  return sql`
    select m.memory_id, m.version, m.content_hash as hash, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
    from ${readModel.tables.vectors} v cross join lateral (
      select * from ${past} one where one.memory_id = v.memory_id and not one.superseded offset 0
    ) m
    where v.project_id = ${scope.projectId} and ${condition}
    order by ${distance(sql`v.embedding`, embedding)} limit ${taken(limit)}`
}

/** The same texts, every one. */
const everyText = ({ scope, readModel, past, condition }: PastInput, embedding: RawBuilder<unknown>) => sql`
  select m.memory_id, m.version, m.content_hash as hash, v.embedding <=> ${embedding} as distance, v.span_start, v.span_end
  from ${past} m cross join lateral (
    select embedding, span_start, span_end from ${readModel.tables.vectors}
    where project_id = ${scope.projectId} and memory_id = m.memory_id offset 0
  ) v
  where not m.superseded and ${condition}`

/** Texts that are not those of their memories any more. Without a distance: those that are not embedded yet. */
function supersededTexts({ scope, readModel, past, condition }: PastInput, embedding: RawBuilder<unknown>) {
  const { generation, tables } = readModel
  return sql`
    select m.memory_id, m.version, m.content_hash as hash, c.embedding <=> ${embedding} as distance, c.span_start, c.span_end
    from (${withSupersededTexts(tables, scope.projectId)}) ids cross join lateral (
      select * from ${past} one where one.memory_id = ids.memory_id and one.superseded offset 0
    ) m left join lateral (
      select embedding, span_start, span_end from embedding_chunks
      where project_id = ${scope.projectId} and model_id = ${generation.modelId} and content_hash = m.content_hash offset 0
    ) c on true
    where ${condition}`
}
