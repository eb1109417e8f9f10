import { sql } from 'kysely'
import type { TypesenseTurn } from '../typesense/typesense-search.ts'
import type { LegInput } from './leg-input.ts'
import type { TypesenseFilter } from './typesense-filter.ts'
import { PAGE_MAX } from './typesense-lexical-leg.ts'
import { type VectorHit, vectorLeg } from './vector-leg.ts'

/** Candidates that the graph search keeps. With Typesense's own default of 10 a filter leaves holes; 100 as measured. */
const EF = 100

/**
 * The vector leg on Typesense: of a memory's chunks the nearest counts, and every hit is checked in Postgres. Where the check
 * leaves fewer than wanted of a full page, and where forgotten memories are asked for, which have no vectors there, the leg
 * runs on Postgres instead.
 *
 * @throws TypesenseFailed
 */
export async function typesenseVectorLeg(
  input: LegInput,
  turn: TypesenseTurn,
  { filterBy }: TypesenseFilter,
  query: Float32Array,
): Promise<VectorHit[]> {
  if (input.includeForgotten) return vectorLeg(input, query)
  const [answer] = await turn.ask([
    {
      q: '*',
      vector_query: `embedding:([${[...query].map(plain).join(',')}], k:${PAGE_MAX}, ef:${EF})`,
      filter_by: filterBy,
      include_fields: 'memory_id,span_start,span_end',
      per_page: PAGE_MAX,
    },
  ])
  const best = new Map<string, VectorHit>()
  for (const { document, vector_distance: distance } of answer?.hits ?? []) {
    const memoryId = String(document.memory_id)
    if (distance === undefined || best.has(memoryId)) continue
    const { span_start: start, span_end: end } = document
    best.set(memoryId, { memoryId, score: 1 - distance, spanStart: Number(start), spanEnd: Number(end) })
  }
  const checked = await satisfying(input, [...best.keys()])
  const hits = [...best.values()].filter(({ memoryId }) => checked.has(memoryId))
  const isCutOff = (answer?.hits.length ?? 0) >= PAGE_MAX
  return hits.length < input.limit && isCutOff ? vectorLeg(input, query) : hits.slice(0, input.limit)
}

/** Without an exponent, which the server's parser need not know. */
const plain = (value: number) => value.toFixed(8)

async function satisfying(
  { scope, readModel, condition }: LegInput,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ memory_id: string }>`
    select m.memory_id from ${readModel.tables.memories} m
    where m.project_id = ${scope.projectId} and m.memory_id = any(${ids}::uuid[]) and ${condition}`.execute(
    scope.db,
  )
  return new Set(rows.map((row) => row.memory_id))
}
