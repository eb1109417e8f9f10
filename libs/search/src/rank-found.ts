import type { QueryTokens } from '@daybook/embeddings/embedder'
import { HALF_LIFE_MS } from '@daybook/memory/decay'
import { readNoteBeginnings } from '@daybook/pgvector/read/read-memories'
import { LIMIT_MAX } from './check-request.ts'
import type { Searched } from './engine/search-engines.ts'
import { type RankedByTokens, rankByTokens } from './late-interaction/rank-by-tokens.ts'
import type { EarlyComparisons } from './late-interaction/token-comparisons.ts'
import type { FrequenciesOnce } from './late-interaction/word-frequencies.ts'
import { floorOf } from './model-floors.ts'
import { readPriors } from './priors/read-priors.ts'
import { withPriors } from './priors/with-priors.ts'
import type { ParsedQuery } from './query/query.ts'
import { evidenceOf, isAnswer } from './ranking/floor.ts'
import type { WantedTime } from './ranking/late/time-match.ts'
import type { RankingOptions } from './ranking/options.ts'
import { priorsCount } from './ranking/priors.ts'
import { type RankedHit, rank } from './ranking/rank.ts'
import { namesIn, preferSpeakers } from './ranking/speakers.ts'
import { isUnheard, namesStranger } from './ranking/strangers.ts'
import type { NeighbourLookups } from './retrievers/postgres/neighbours-retriever.ts'
import type { RetrieverInput } from './retrievers/retriever-input.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchRequest } from './search-request.ts'

/** What `rankFound` works on. */
export interface FoundToRank {
  readonly query: ParsedQuery
  /** The times that the question names. */
  readonly times: readonly WantedTime[]
  readonly request: Pick<SearchRequest, 'mode' | 'limit' | 'minScore' | 'floor' | 'leastCosine'>
  readonly options: RankingOptions
  readonly found: Searched
  /** May have begun already. */
  readonly neighbours: NeighbourLookups
  readonly frequencies: FrequenciesOnce
  readonly comparisons: EarlyComparisons
}

/** The hits in their order, and what late interaction knows of them; null if it did not rank them. */
export interface RankedFound {
  readonly ranked: readonly RankedHit[]
  readonly byTokens: RankedByTokens | null
  /** Whether there were candidates, and none of them is relevant enough. */
  readonly belowFloor: boolean
}

/**
 * Ranks what the retrievers found: by late interaction where the question and the index have tokens, else by
 * the sum of scores (`ranking/rank.ts`) and by who speaks. Leaves out what is too far or scores too little.
 */
export async function rankFound(
  parts: SearchParts,
  input: RetrieverInput,
  { query, times, request, options, found, neighbours, frequencies, comparisons }: FoundToRank,
): Promise<RankedFound> {
  const { limit, minScore = 0, leastCosine } = request
  const finished = async (
    hits: readonly RankedHit[],
    byTokens: RankedByTokens | null,
  ): Promise<RankedFound> => {
    // What is found by words only has a word of the query.
    const kept = request.mode === 'KEYWORD' ? hits.filter(({ matchType }) => matchType !== 'CONTEXT') : hits
    const above = areAnswer(kept, byTokens) ? kept : []
    return {
      ranked: (await moved(above)).filter(({ score }) => score >= minScore).slice(0, limit),
      byTokens,
      belowFloor: above.length === 0 && kept.length > 0,
    }
  }
  const floor = floorCounts(request) && found.vector !== null ? floorOf(found.generation.modelId) : null
  const moved = async (hits: readonly RankedHit[]) => {
    if (!priorsCount(options.priors) || hits.length === 0) return hits
    const facts = await readPriors(
      parts,
      hits.map(({ memoryId }) => memoryId),
    )
    return withPriors(hits, options.priors, facts, {
      now: Date.now(),
      halfLifeMs: parts.halfLifeMs ?? HALF_LIFE_MS,
    })
  }
  const areAnswer = (hits: readonly RankedHit[], byTokens: RankedByTokens | null): boolean => {
    if (floor === null) return true
    const best = hits[0]?.score ?? 0
    if (byTokens === null) return isAnswer(best, evidenceOf(hits), floor, null)
    const { documents, documentFrequency } = byTokens.frequencies
    return isAnswer(best, byTokens.evidence, floor, {
      memories: documents,
      stranger: namesStranger(query.wanted, (word) => documentFrequency.get(word) === 0),
      unheard: isUnheard(found.tokens?.words ?? [], documentFrequency),
    })
  }
  const { tokens } = found
  if (tokensCount(options, tokens)) {
    const byTokens = await rankByTokens(input, {
      wanted: query.wanted,
      times,
      tokens,
      modelId: found.generation.modelId,
      found,
      frequencies: frequencies(tokens.words),
      neighbours,
      comparisons: comparisons.with(tokens, found.generation.modelId),
      options,
      // Which hits are too far shows only in their explanations.
      limit: leastCosine === undefined && !priorsCount(options.priors) ? limit : Number.POSITIVE_INFINITY,
    })
    return finished(withoutFar(byTokens.ranked, leastCosine), byTokens)
  }
  const candidates = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const { neighbourhoods, eligible } = await neighbours.of(candidates.map(({ memoryId }) => memoryId))
  const all = rank({
    lexical: found.lexical,
    vector: found.vector,
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    options,
    limit: Number.POSITIVE_INFINITY,
  })
  const near = withoutFar(all, leastCosine)
  const speakersCount = options.method === 'DEFAULT' && !options.without.has('speaker')
  return finished(speakersCount ? await bySpeakers(parts, query, near) : near, null)
}

/** Whether hits must be above the model's floor: the caller sets none, and words are not all that counts. */
const floorCounts = ({ mode, minScore, floor = true }: FoundToRank['request']): boolean =>
  floor && minScore === undefined && mode !== 'KEYWORD'

/** Whether hits are ranked by late interaction. */
export function tokensCount(options: RankingOptions, tokens: QueryTokens | null): tokens is QueryTokens {
  return options.method === 'DEFAULT' && options.lateInteraction && tokens !== null && tokens.words.length > 0
}

/** How many of the best hits may change places because of their speakers: as many as a caller can ask for. */
const SPEAKERS_AMONG = LIMIT_MAX

async function bySpeakers(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  ranked: readonly RankedHit[],
): Promise<readonly RankedHit[]> {
  const names = namesIn(query.wanted)
  if (names.size === 0) return ranked
  const best = ranked.slice(0, SPEAKERS_AMONG)
  const beginnings = await readNoteBeginnings(
    scope,
    readModel.tables,
    best.map((hit) => hit.memoryId),
  )
  return preferSpeakers(best, names, (id) => beginnings.get(id))
}

function withoutFar(ranked: readonly RankedHit[], leastCosine: number | undefined): readonly RankedHit[] {
  if (leastCosine === undefined) return ranked
  const isNear = ({ explanation: { retrievers } }: RankedHit) =>
    retrievers.some(({ retriever, rawScore }) => retriever === 'lexical' || rawScore >= leastCosine)
  const near = new Set(ranked.filter(isNear).map((hit) => hit.memoryId))
  return ranked.filter(
    ({ memoryId, explanation: { retrievers, neighbours } }) =>
      near.has(memoryId) ||
      (retrievers.length === 0 && neighbours.some((neighbour) => near.has(neighbour.memoryId))),
  )
}
