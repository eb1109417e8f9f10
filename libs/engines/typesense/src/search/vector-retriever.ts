import { type VectorHit, vectorRetriever } from '@daybook/search/retrievers/postgres/vector-retriever'
import type { RetrieverInput } from '@daybook/search/retrievers/retriever-input'
import { sql } from 'kysely'
import type { TypesenseFilter } from './filter.ts'
import { PAGE_MAX } from './lexical-retriever.ts'
import type { TypesenseTurn } from './typesense-search.ts'

/** Candidates that the graph search keeps. With Typesense's own default of 10 a filter leaves holes; 100 as measured. */
const EF = 100

/**
 * The vector retriever on Typesense: of a memory's chunks the nearest counts, and every hit is checked in Postgres. Where the check
 * leaves fewer than wanted of a full page, and where forgotten memories are asked for, which have no vectors there, the retriever
 * runs on Postgres instead.
 *
 * @throws EngineFailed
 */
export async function typesenseVectorRetriever(
  input: RetrieverInput,
  turn: TypesenseTurn,
  { filterBy }: TypesenseFilter,
  query: Float32Array,
): Promise<VectorHit[]> {
  if (input.includeForgotten) return vectorRetriever(input, query)
  const [answer] = await turn.ask([
    {
      q: '*',
      vector_query: `embedding:([${[...query].map(plain).join(',')}], k:${PAGE_MAX}, ef:${EF})`,
      filter_by: filterBy,
      include_fields: 'memory_id,version,span_start,span_end',
      per_page: PAGE_MAX,
    },
  ])
  const best = new Map<string, VectorHit>()
  const versions = new Map<string, number>()
  for (const { document, vector_distance: distance } of answer?.hits ?? []) {
    const memoryId = String(document.memory_id)
    if (distance === undefined || best.has(memoryId)) continue
    const { version, span_start: start, span_end: end } = document
    versions.set(memoryId, Number(version))
    best.set(memoryId, { memoryId, score: 1 - distance, spanStart: Number(start), spanEnd: Number(end) })
  }
  const checked = await satisfying(input, versions)
  const hits = [...best.values()].filter(({ memoryId }) => checked.has(memoryId))
  const isCutOff = (answer?.hits.length ?? 0) >= PAGE_MAX
  return hits.length < input.limit && isCutOff ? vectorRetriever(input, query) : hits.slice(0, input.limit)
}

/** Without an exponent, which the server's parser need not know. */
const plain = (value: number) => value.toFixed(8)

/**
 * Those that are hits, by what Postgres has of them. Typesense may be behind it or ahead: a vector counts only where the version
 * that it was made of has the text that the memory has now, so that no score is of a text that is not shown.
 *
 * @param found the versions of what Typesense found, by id
 */
async function satisfying(
  { scope, readModel, condition }: RetrieverInput,
  found: ReadonlyMap<string, number>,
): Promise<Set<string>> {
  const { memories, versions } = readModel.tables
  const { rows } = await sql<{ memory_id: string }>`
    select m.memory_id
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
  return new Set(rows.map((row) => row.memory_id))
}
