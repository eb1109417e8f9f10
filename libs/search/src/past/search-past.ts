import type { PastMoment } from '@daybook/pgvector/read/read-memories'
import { type EngineName, POSTGRES, projectionOf } from '../engine/engine-name.ts'
import { bestPassages, readChunks } from '../late-interaction/best-passages.ts'
import { rankFound } from '../rank-found.ts'
import { matchTypeOf, nothingAbout, presentHits } from '../render-answer.ts'
import { runRetrievers } from '../run-retrievers.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchRequest } from '../search-request.ts'
import { type Search, type SearchRun, startRun } from '../search-run.ts'
import { readSearchState } from '../search-state.ts'
import { pastLexicalRetriever } from './lexical-retriever.ts'
import type { PastInput } from './past-input.ts'
import { collectTexts, type PastWanted, pastRelation } from './past-texts.ts'
import { pastVectorRetriever } from './vector-retriever.ts'

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
  search: Search,
  past: PastWanted,
): Promise<SearchAnswer> {
  const { scope, readModel } = parts
  const { generation, tables } = readModel
  const run = startRun(parts, search, generation)
  const { position } = await readSearchState(scope, readModel)
  const texts = collectTexts(tables, scope.projectId)
  const input: PastInput = {
    ...run,
    past: pastRelation(tables, scope.projectId, past),
    texts,
    everSaid: true,
  }
  let waiting = 0
  const found = await runRetrievers(run, {
    lexical: (coverage) => pastLexicalRetriever(input, run.lexicalText, coverage && run.coverage !== false),
    async vector(vector) {
      const near = await pastVectorRetriever(input, vector)
      waiting = near.waiting
      return near.hits
    },
    atOnce: false,
  })

  const ofTexts: SearchRun = {
    ...run,
    readModel: { generation, tables: { ...tables, memories: texts.relation() } },
  }
  const { ranked, byTokens, belowFloor } = await rankFound(ofTexts, found)
  const ids = ranked.map((hit) => hit.memoryId)
  const memories = await texts.read(scope, ids)
  const passages =
    byTokens === null
      ? new Map()
      : await bestPassages(byTokens, await readChunks(run, byTokens, ids), memories)
  const hits = await presentHits(run, ranked, memories, found.vector, passages)
  return {
    hits,
    versions: true,
    matchType: hits.length === 0 ? null : matchTypeOf(found),
    engine: POSTGRES,
    degraded: [...presentOnly(run.request.engine), ...found.degraded, ...waitingTexts(waiting)],
    message: hits.length === 0 ? nothingFound(run.request.query, past, belowFloor) : null,
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

function nothingFound(query: string, past: PastWanted, belowFloor: boolean): string {
  if (belowFloor) return nothingAbout(query)
  if (past === 'EVER')
    return `No text that there ever was matches "${query}". Try other words, or fewer filters.`
  return isBeginning(past)
    ? `Nothing had been remembered at ${past.moment}: this journal begins later.`
    : `Nothing matched "${query}" at ${past.moment}. Try other words, fewer filters, or another moment.`
}

const isBeginning = ({ sequence }: PastMoment): boolean => sequence === 0
