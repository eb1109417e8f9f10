import type { RetrieverContribution } from '../explanation.ts'
import type { Retrievers } from '../fuse.ts'
import { type Neighbourhood, type Neighbourhoods, poolNeighbourhoods } from '../neighbourhood.ts'
import { matchType, type RankedHit } from '../rank.ts'
import { type RetrieverHit, type RetrieverName, retrieverCandidates } from '../retriever.ts'
import type { RankingTerm } from '../terms.ts'
import { estimateMatches } from './estimate.ts'
import { type QuestionToken, wholeWeight } from './question-weights.ts'
import { LONG_TOKENS, probability, type ScoreTerm, scoreTerms, weightOf } from './terms.ts'
import { nearMatch, ownMatch, type TokenMatches, type TokenRows } from './token-rows.ts'
import { wordsShare } from './words-share.ts'

/** What `rankLate` works on. */
export interface RankLateInput extends Retrievers {
  readonly question: readonly QuestionToken[]
  /**
   * The rows of the memories that can become hits: the candidates and their neighbours at distance 1. Rows
   * of others are not used. A memory whose embedding is not there yet has none.
   */
  readonly matches: TokenRows
  /** The neighbourhood of every candidate with a context. */
  readonly neighbourhoods: Neighbourhoods
  /** Whether a memory that no retriever found passes the search's filter, phrases and exclusions. */
  readonly eligible: (memoryId: string) => boolean
  /** Whether a person named in the question speaks in the memory (`speakers.ts`). */
  readonly isSpokenByNamed: (memoryId: string) => boolean
  /** How near the memory is to a time that the question names, 0 to 1 (`time-match.ts`). */
  readonly timeMatch: (memoryId: string) => number
  /** How many of each retriever's best hits take part: 100, as 50 and 200 find the same. */
  readonly candidatesPerRetriever: number
  /** Terms that an evaluation leaves out (`RankingOptions.without`). */
  readonly without: ReadonlySet<RankingTerm>
  /** the most hits to return */
  readonly limit: number
}

/**
 * Ranks what the retrievers found by late interaction: by how well the tokens of each memory match those of
 * the question.
 *
 * ```
 * log-odds = 6·own + 6·near + 2·session + 2·words + 1.5·vector + 1.25·speaker + 1.5·time − .25·length − 1.5·pool − 2.5
 * score    = 1 / (1 + e^−log-odds)
 * ```
 *
 * The terms and their weights are in `terms.ts`. No term is relative to the best of the answer, so scores
 * are comparable between questions: each is the probability that the hit is relevant.
 *
 * The candidates and their neighbours at distance 1 can become hits, and match as each other's surroundings.
 * Deterministic: equal scores are ordered by id, and the order of the input does not matter.
 */
export function rankLate(input: RankLateInput): RankedHit[] {
  const pool = poolOf(input)
  const session = bestOfSessions(pool)
  const choice = Math.log(pool.length)
  return pool
    .map((member) => explain(member, { session: session(member), pool: choice }, input.without))
    .toSorted((a, b) => b.logOdds - a.logOdds || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, Math.max(0, input.limit))
    .map(({ memoryId, retrievers, terms, logOdds }) => {
      const score = probability(logOdds)
      return {
        memoryId,
        score,
        matchType: matchType(retrievers, input),
        explanation: {
          method: 'DEFAULT',
          retrievers,
          terms,
          neighbours: [],
          missingNeighbours: 0,
          session: null,
          ownScore: score,
          scale: 1,
          score,
        },
      }
    })
}

/** A memory that can become a hit, with the value of each term but its session's. */
interface Member {
  readonly memoryId: string
  readonly context: string | null
  readonly retrievers: readonly RetrieverContribution[]
  readonly own: number
  readonly near: number
  readonly words: number
  readonly vector: number
  readonly speaker: number
  readonly time: number
  readonly length: number
}

function poolOf(input: RankLateInput): Member[] {
  const {
    question,
    matches,
    neighbourhoods,
    eligible,
    isSpokenByNamed,
    timeMatch,
    candidatesPerRetriever,
    without,
  } = input
  const lexical = ranksOf(input.lexical, candidatesPerRetriever)
  const vector = ranksOf(input.vector, candidatesPerRetriever)
  const candidates = new Set([...lexical.keys(), ...vector.keys()])
  const all = poolNeighbourhoods(candidates, neighbourhoods)
  const ids = [...all.keys()].filter((id) => candidates.has(id) || eligible(id))
  const inPool = new Set(ids)
  const rowOf = (id: string) => (inPool.has(id) ? matches.get(id) : undefined)
  const whole = wholeWeight(question)
  // A memory that the vector retriever did not find is farther than the last one that it found.
  const farthest = Math.min(...[...vector.values()].map(({ score }) => score), 1)
  return ids.map((memoryId) => {
    const neighbourhood = all.get(memoryId) ?? null
    const row = matches.get(memoryId)
    const words = wordsShare(lexical.get(memoryId)?.score ?? 0, whole)
    const cosine = vector.get(memoryId)?.score ?? (vector.size > 0 ? farthest : 0)
    return {
      memoryId,
      context: neighbourhood?.context ?? null,
      retrievers: [
        ...contributionOf('lexical', lexical.get(memoryId), words, weightOf('words', without)),
        ...contributionOf('vector', vector.get(memoryId), cosine, weightOf('vector', without)),
      ],
      ...tokenMatches(question, row, around(neighbourhood, rowOf), words),
      words,
      vector: cosine,
      speaker: isSpokenByNamed(memoryId) ? 1 : 0,
      time: timeMatch(memoryId),
      length: Math.log2(Math.max(row?.tokens ?? 0, LONG_TOKENS) / LONG_TOKENS),
    }
  })
}

type Found = RetrieverHit & { readonly rank: number }

const ranksOf = (hits: readonly RetrieverHit[] | null, candidates: number): Map<string, Found> =>
  new Map(
    retrieverCandidates(hits ?? [], candidates).map((hit, index) => [
      hit.memoryId,
      { ...hit, rank: index + 1 },
    ]),
  )

function contributionOf(
  retriever: RetrieverName,
  found: Found | undefined,
  value: number,
  weight: number,
): RetrieverContribution[] {
  if (found === undefined) return []
  const { rank, score } = found
  return [{ retriever, rank, rawScore: score, normalisedScore: value, weight, contribution: weight * value }]
}

/** How many memories on each side match together with a memory. With one LoCoMo loses .01 recall. */
const AROUND = 2

function around(
  neighbourhood: Neighbourhood | null,
  rowOf: (memoryId: string) => TokenMatches | undefined,
): TokenMatches[] {
  if (neighbourhood === null) return []
  const { before, after } = neighbourhood
  return [...before.slice(0, AROUND), ...after.slice(0, AROUND)].map(rowOf).filter((row) => row !== undefined)
}

function tokenMatches(
  question: readonly QuestionToken[],
  row: TokenMatches | undefined,
  beside: readonly TokenMatches[],
  words: number,
): { readonly own: number; readonly near: number } {
  if (row !== undefined) return { own: ownMatch(question, row), near: nearMatch(question, [row, ...beside]) }
  const estimated = estimateMatches(words)
  if (beside.length === 0) return estimated
  return { own: estimated.own, near: Math.max(estimated.near, nearMatch(question, beside)) }
}

/** The best `near` of each member's context; its own without a context. */
function bestOfSessions(pool: readonly Member[]): (member: Member) => number {
  const best = new Map<string, number>()
  for (const { context, near } of pool)
    if (context !== null) best.set(context, Math.max(near, best.get(context) ?? near))
  return ({ context, near }) => (context === null ? near : (best.get(context) ?? near))
}

interface Explained {
  readonly memoryId: string
  readonly retrievers: readonly RetrieverContribution[]
  readonly terms: readonly ScoreTerm[]
  readonly logOdds: number
}

function explain(
  member: Member,
  others: { readonly session: number; readonly pool: number },
  without: ReadonlySet<RankingTerm>,
): Explained {
  const { memoryId, retrievers } = member
  const terms = scoreTerms({ ...member, ...others, base: 1 }, without)
  return { memoryId, retrievers, terms, logOdds: terms.reduce((sum, term) => sum + term.contribution, 0) }
}
