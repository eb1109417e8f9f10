import { languageOf } from '@daybook/lexical-index/lexemes'
import { textOf } from '@daybook/memory/state'
import { wholeState } from '@daybook/pgvector/generation-tables'
import { type MemoryColumns, toMemory } from '@daybook/pgvector/read/read-memories'
import { type RawBuilder, sql } from 'kysely'
import { type KindQuery, kindQuery } from './kind-query.ts'
import type { ParsedQuery } from './query/query.ts'
import { plainExplanation } from './ranking/explanation.ts'
import { hitCondition } from './retrievers/postgres/constraint.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchHit, SearchRequest } from './search-request.ts'
import { snippets } from './snippets.ts'

/**
 * The memories of the kind that a query names, newest first: nothing in their texts says "todo". None if it names
 * no kind, if the request asks for other kinds, or for what has the words.
 */
export async function hitsOfKind(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  { filter, mode, limit, leastCosine, also, past }: SearchRequest,
): Promise<SearchHit[]> {
  const named =
    mode === 'KEYWORD' || leastCosine !== undefined || also !== undefined || past !== undefined
      ? null
      : kindQuery(query.wanted)
  if (named === null || filter.kinds?.includes(named.kind) === false) return []
  const language = languageOf(readModel.tables, scope.projectId)
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${readModel.tables.memories} m
    where m.project_id = ${scope.projectId} and m.kind = ${named.kind} and ${stateCondition(named)}
      and ${hitCondition(readModel.tables, filter, { required: [], excluded: query.excluded }, language)}
    order by m.first_sequence desc limit ${limit}`.execute(scope.db)
  const memories = rows.map(toMemory)
  const marked = await snippets(
    scope.db,
    query.wanted,
    memories.map(({ state }) => textOf(state)),
    language,
  )
  return memories.map((memory, index) => ({
    memory,
    score: 1,
    matchType: 'KIND',
    snippet: marked[index] ?? '',
    explanation: {
      ...plainExplanation({ method: 'DEFAULT', retrievers: [], score: 1 }),
      generation: readModel.generation.generation,
      modelId: null,
    },
  }))
}

/** A todo without a time is open, a session that is not closed is active. */
function stateCondition({ kind, state }: KindQuery): RawBuilder<unknown> {
  if (state === null) return sql`true`
  const done = kind === 'todo' ? sql`content->>'resolvedAt' is not null` : sql`content->>'status' = 'closed'`
  return sql`(select coalesce(${done}, false) from (select m.state->'content' as content) of) = ${state === 'done'}`
}
