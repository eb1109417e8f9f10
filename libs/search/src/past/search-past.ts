import type { PastMoment } from '@daybook/pgvector/read/read-memories'
import type { RawBuilder } from 'kysely'
import { type EngineName, POSTGRES, projectionOf } from '../engine/engine-name.ts'
import type { EmbedOnce, Searched } from '../engine/search-engines.ts'
import { bestPassages, readChunks } from '../late-interaction/best-passages.ts'
import { earlyComparisons } from '../late-interaction/token-comparisons.ts'
import { frequenciesOnce } from '../late-interaction/word-frequencies.ts'
import type { ParsedQuery } from '../query/query.ts'
import type { TimePhrase } from '../query/time-phrases.ts'
import { rankFound } from '../rank-found.ts'
import type { RankingOptions } from '../ranking/options.ts'
import { matchTypeOf, presentHits } from '../render-answer.ts'
import { NO_LOOKUPS } from '../retrievers/postgres/neighbours-retriever.ts'
import { type Retrievers, runRetrievers } from '../run-retrievers.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchRequest } from '../search-request.ts'
import { readSearchState } from '../search-state.ts'
import { pastLexicalRetriever } from './lexical-retriever.ts'
import type { PastInput } from './past-input.ts'
import { collectTexts, type PastWanted, pastRelation } from './past-texts.ts'
import { pastVectorRetriever } from './vector-retriever.ts'

/** A search of the past, as `search` has prepared it. */
interface PastSearch {
  readonly past: PastWanted
  readonly query: ParsedQuery
  /** What every hit must satisfy, at that moment. */
  readonly condition: RawBuilder<boolean>
  /** The query's words, with those of the days that it names. */
  readonly wanted: string
  readonly times: readonly TimePhrase[]
  readonly options: RankingOptions
  readonly embedded: EmbedOnce
}

/**
 * Finds texts that memories had at a moment, or at any time:
 *
 *   retrievers of past texts ──▶ ranking as for present ones, without neighbours ──▶ hits of their versions
 *
 * Postgres answers whatever engine is asked for: the others have present texts only. A version never changes,
 * so writes cannot overtake it. Of the moments at which memories stood side by side nothing is kept, so hits
 * gain nothing from their neighbours.
 */
export async function searchPast(
  parts: SearchParts,
  request: SearchRequest,
  { past, query, condition, wanted, times, options, embedded }: PastSearch,
): Promise<SearchAnswer> {
  const { scope, readModel } = parts
  const { generation, tables } = readModel
  const embedding = embedded(generation)
  const { position } = await readSearchState(scope, readModel)
  const texts = collectTexts(tables, scope.projectId)
  const input: PastInput = {
    ...parts,
    past: pastRelation(tables, scope.projectId, past),
    texts,
    condition,
    includeForgotten: false,
    everSaid: true,
    limit: options.candidatesPerRetriever,
  }
  let waiting = 0
  const retrievers: Retrievers = {
    lexical: (words, coverage) =>
      pastLexicalRetriever(input, words, coverage && !options.without.has('coverage')),
    async vector(vector) {
      const near = await pastVectorRetriever(input, vector)
      waiting = near.waiting
      return near.hits
    },
    atOnce: false,
  }
  const run = await runRetrievers(retrievers, wanted, request.mode, embedding)
  const found: Searched = { ...run, engine: POSTGRES, generation, sequence: position, since: position }

  const asFound: PastInput = {
    ...input,
    readModel: { generation, tables: { ...tables, memories: texts.relation() } },
  }
  const { ranked, byTokens } = await rankFound({ ...parts, readModel: asFound.readModel }, asFound, {
    query,
    times,
    request,
    options,
    found,
    neighbours: NO_LOOKUPS,
    frequencies: frequenciesOnce(scope, asFound.readModel),
    comparisons: earlyComparisons(input, parts.tokenBitsCache),
  })
  const ids = ranked.map((hit) => hit.memoryId)
  const memories = await texts.read(scope, ids)
  const passages =
    byTokens === null
      ? new Map()
      : await bestPassages(byTokens, await readChunks(scope, byTokens, ids), memories)
  const hits = await presentHits(parts, query, ranked, memories, found, passages)
  return {
    hits,
    versions: true,
    matchType: hits.length === 0 ? null : matchTypeOf(run),
    engine: POSTGRES,
    degraded: [...presentOnly(request.engine), ...run.degraded, ...waitingTexts(waiting)],
    message: hits.length === 0 ? nothingFound(request.query, past) : null,
    sequence: past === 'EVER' ? position : Math.min(position, past.sequence),
  }
}

/** Says that the engine asked for does not have the past. */
function presentOnly(engine: SearchRequest['engine']): string[] {
  if (engine === undefined || engine === 'AUTO' || engine === POSTGRES) return []
  return [`${projectionOf(engine as EngineName)} has only present texts, answered by Postgres`]
}

function waitingTexts(waiting: number): string[] {
  if (waiting === 0) return []
  const texts = waiting === 1 ? 'past text has' : 'past texts have'
  return [`${waiting} ${texts} no vector yet and can be found by words only`]
}

function nothingFound(query: string, past: PastWanted): string {
  if (past === 'EVER')
    return `No text that there ever was matches "${query}". Try other words, or fewer filters.`
  return isBeginning(past)
    ? `Nothing had been remembered at ${past.moment}: this journal begins later.`
    : `Nothing matched "${query}" at ${past.moment}. Try other words, fewer filters, or another moment.`
}

const isBeginning = ({ sequence }: PastMoment): boolean => sequence === 0
