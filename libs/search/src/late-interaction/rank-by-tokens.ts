import type { QueryTokens } from '@daybook/embeddings/embedder'
import { bytesPerToken } from '@daybook/embeddings/token-bits/token-bits'
import type { Evidence } from '../ranking/floor.ts'
import { evidenceIn } from '../ranking/late/evidence.ts'
import { type QuestionToken, wordWeight } from '../ranking/late/question-weights.ts'
import { rankLate } from '../ranking/late/rank-late.ts'
import { nearness, type WantedTime } from '../ranking/late/time-match.ts'
import type { TokenMatches } from '../ranking/late/token-rows.ts'
import { type Neighbourhoods, poolNeighbourhoods } from '../ranking/neighbourhood.ts'
import type { RankingOptions } from '../ranking/options.ts'
import type { RankedHit } from '../ranking/rank.ts'
import { namesIn, speakersOf } from '../ranking/speakers.ts'
import type { RetrieverInput } from '../retrievers/retriever-input.ts'
import type { RetrieversRun } from '../run-retrievers.ts'
import { timed } from '../timed.ts'
import { createScorer } from './kernel/create-scorer.ts'
import type { Scorer } from './kernel/scorer.ts'
import { readTokens, type StoredTokens } from './read-tokens.ts'
import { readWordFrequencies, type WordFrequencies } from './word-frequencies.ts'

/** What `rankByTokens` works on. */
export interface RankByTokensInput {
  /** The question's words. */
  readonly wanted: string
  /** The times that the question names. */
  readonly times: readonly WantedTime[]
  /** The question's tokens, at least one, of the model `modelId`. */
  readonly tokens: QueryTokens
  /** The model of the generation that was searched. */
  readonly modelId: string
  readonly found: Pick<RetrieversRun, 'lexical' | 'vector'>
  readonly neighbourhoods: Neighbourhoods
  /** The neighbours that satisfy the search's condition. */
  readonly eligible: ReadonlySet<string>
  readonly options: RankingOptions
  /** The most hits to return. */
  readonly limit: number
}

/** The ranking, and what it was made of. */
export interface RankedByTokens {
  readonly ranked: readonly RankedHit[]
  /** In all candidates, also those beyond the limit. */
  readonly evidence: Evidence
  readonly question: readonly QuestionToken[]
  readonly frequencies: WordFrequencies
  readonly scorer: Scorer
  /** Bytes of one token's bits. */
  readonly bytes: number
  readonly modelId: string
  /** What the store has of the memories that could become hits. */
  readonly stored: ReadonlyMap<string, StoredTokens>
}

/**
 * Ranks candidates and their neighbours by late interaction: reads their token bits and how rare the
 * question's words are in the project, compares the tokens, and scores.
 *
 *   candidates and neighbours ──▶ token bits ──▶ matches ──▶ score
 *   question's words ──▶ frequencies ──▶ weights ────────────┘
 */
export async function rankByTokens(
  input: RetrieverInput,
  { wanted, times, tokens, modelId, found, neighbourhoods, eligible, options, limit }: RankByTokensInput,
): Promise<RankedByTokens> {
  const { scope, readModel } = input
  const candidates = [...(found.lexical ?? []), ...(found.vector ?? [])]
  const ids = [...poolNeighbourhoods(new Set(candidates.map((hit) => hit.memoryId)), neighbourhoods).keys()]
  const names = namesIn(wanted)
  const [stored, frequencies] = await timed(input.onRetriever, 'token-bits', () =>
    Promise.all([
      readTokens(scope, readModel, { modelId, memoryIds: ids, withBeginnings: names.size > 0 }),
      readWordFrequencies(scope, readModel, tokens.words),
    ]),
  )
  const question = tokens.words.map((word) => ({
    word,
    weight: wordWeight(word, frequencies.documents, frequencies.documentFrequency.get(word) ?? null),
  }))
  const dimension = tokens.states.length / tokens.words.length
  const scorer = createScorer({ tokens: tokens.words.length, dimension, states: tokens.states })
  const bytes = bytesPerToken(dimension)
  const isNamed = (name: string) => names.has(name)
  const ranked = rankLate({
    lexical: found.lexical,
    vector: found.vector,
    question,
    matches: matchesOf(scorer, bytes, stored),
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    isSpokenByNamed: (id) => [...speakersOf(stored.get(id)?.beginning ?? '')].some(isNamed),
    timeMatch: (id) => nearness(stored.get(id)?.time ?? Number.NaN, times),
    candidatesPerRetriever: options.candidatesPerRetriever,
    without: options.without,
    limit,
  })
  const evidence = evidenceIn(found, question)
  return { ranked, evidence, question, frequencies, scorer, bytes, modelId, stored }
}

/**
 * Compares the question with each memory. It takes about a millisecond for 400 memories
 * (docs/measurements.md#scoring-token-bits), so it does not leave the event loop.
 */
function matchesOf(
  scorer: Scorer,
  bytes: number,
  stored: ReadonlyMap<string, StoredTokens>,
): Map<string, TokenMatches> {
  const matches = new Map<string, TokenMatches>()
  for (const [memoryId, { bits }] of stored)
    if (bits !== null) matches.set(memoryId, { best: scorer.match(bits), tokens: bits.length / bytes })
  return matches
}
