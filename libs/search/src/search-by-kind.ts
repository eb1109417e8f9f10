import { languageOf } from '@daybook/lexical-index/lexemes'
import type { KindName } from '@daybook/memory/kinds/index'
import { textOf } from '@daybook/memory/state'
import { wholeState } from '@daybook/pgvector/generation-tables'
import { type MemoryColumns, toMemory } from '@daybook/pgvector/read/read-memories'
import { type RawBuilder, sql } from 'kysely'
import { type KindQuery, kindQuery } from './kind-query.ts'
import type { ParsedQuery } from './query/query.ts'
import type { TimePhrase } from './query/time-phrases.ts'
import { plainExplanation } from './ranking/explanation.ts'
import { hitCondition } from './retrievers/postgres/constraint.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchHit, SearchRequest } from './search-request.ts'
import { snippets } from './snippets.ts'

/**
 * What a query asks for beside words, if it may: what has the words is not asked for by its kind.
 * @param times that the query names
 */
export const kindQueryOf = (
  query: ParsedQuery,
  { mode, leastCosine, also, past }: SearchRequest,
  times: readonly TimePhrase[],
): KindQuery | null =>
  mode === 'KEYWORD' || leastCosine !== undefined || also !== undefined || past !== undefined
    ? null
    : kindQuery(
        query.wanted,
        times.map(({ phrase }) => phrase),
      )

/**
 * The memories of the kind that a query names, newest first: nothing in their texts says "todo". None if the request asks for
 * other kinds.
 */
export async function hitsOfKind(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  { filter, limit }: SearchRequest,
  named: KindQuery & { readonly kind: KindName },
  times: readonly TimePhrase[],
): Promise<SearchHit[]> {
  if (filter.kinds?.includes(named.kind) === false) return []
  const language = languageOf(readModel.tables, scope.projectId)
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${readModel.tables.memories} m
    where m.project_id = ${scope.projectId} and m.kind = ${named.kind} and ${stateCondition(named)}
      and ${nameCondition(named)} and ${timeCondition(named, times)}
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

function nameCondition({ called }: KindQuery): RawBuilder<unknown> {
  if (called === null) return sql`true`
  const words = called.split(' ').filter((word) => word !== '')
  return sql`(${sql.join(
    words.map((word) => sql`strpos(lower(m.state->'content'->>'name'), lower(${word})) > 0`),
    sql` and `,
  )})`
}

/** When memories happened, or were remembered. What is left to do before a day was written whenever. */
function timeCondition({ kind }: KindQuery, times: readonly TimePhrase[]): RawBuilder<unknown> {
  const within =
    kind === 'todo' ? times.filter(({ from, to }) => Number.isFinite(from) && to <= Date.now()) : times
  if (within.length === 0) return sql`true`
  const time = sql`extract(epoch from coalesce(m.occurred_at, m.created_at))::float8 * 1000`
  return sql`(${sql.join(
    within.map(({ from, to }) => sql`(${time} >= ${from}::float8 and ${time} < ${to}::float8)`),
    sql` or `,
  )})`
}

/** A todo without a time is open, a session that is not closed is active. */
function stateCondition({ kind, state }: KindQuery): RawBuilder<unknown> {
  if (state === null) return sql`true`
  const done = kind === 'todo' ? sql`content->>'resolvedAt' is not null` : sql`content->>'status' = 'closed'`
  return sql`(select coalesce(${done}, false) from (select m.state->'content' as content) of) = ${state === 'done'}`
}
