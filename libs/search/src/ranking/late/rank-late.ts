import { plainExplanation, type RetrieverContribution } from '../explanation.ts'
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
    .map((member) => explain(member, session(member), choice, input.without))
    .toSorted((a, b) => b.logOdds - a.logOdds || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, Math.max(0, input.limit))
    .map(({ memoryId, retrievers, terms, logOdds, restsOn }) => {
      const score = probability(logOdds)
      return {
        memoryId,
        score,
        matchType: matchType(retrievers),
        explanation: plainExplanation({ method: 'DEFAULT', retrievers, terms, score }),
        restsOn,
      }
    })
}

/** A memory that can become a hit, with the value of each term but its session's. */
interface Member {
  readonly memoryId: string
  readonly context: string | null
  readonly retrievers: readonly RetrieverContribution[]
  /** The memories around it that match together with it. */
  readonly beside: readonly string[]
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
  const rowsOf = (beside: readonly string[]) => beside.flatMap((id) => matches.get(id) ?? [])
  const whole = wholeWeight(question)
  // A memory that the vector retriever did not find is farther than the last one that it found.
  const farthest = Math.min(...[...vector.values()].map(({ score }) => score), 1)
  return ids.map((memoryId) => {
    const neighbourhood = all.get(memoryId) ?? null
    const row = matches.get(memoryId)
    const beside = around(neighbourhood).filter((id) => inPool.has(id) && matches.has(id))
    const words = wordsShare(lexical.get(memoryId)?.score ?? 0, whole)
    const cosine = vector.get(memoryId)?.score ?? (vector.size > 0 ? farthest : 0)
    return {
      memoryId,
      context: neighbourhood?.context ?? null,
      retrievers: [
        ...contributionOf('lexical', lexical.get(memoryId), words, weightOf('words', without)),
        ...contributionOf('vector', vector.get(memoryId), cosine, weightOf('vector', without)),
      ],
      beside,
      ...tokenMatches(question, row, rowsOf(beside), words),
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

const around = (neighbourhood: Neighbourhood | null): string[] =>
  [neighbourhood?.before, neighbourhood?.after].flatMap((side) => side?.slice(0, AROUND) ?? [])

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

/** The member that matches best in each member's context; itself without a context. */
function bestOfSessions(pool: readonly Member[]): (member: Member) => Member {
  const best = new Map<string, Member>()
  for (const member of pool) {
    if (member.context === null) continue
    const known = best.get(member.context)
    if (known === undefined || isBetter(member, known)) best.set(member.context, member)
  }
  return (member) => (member.context !== null && best.get(member.context)) || member
}

/** Equal ones are ordered by id, so that the order of the input does not matter. */
const isBetter = (one: Member, other: Member): boolean =>
  one.near > other.near || (one.near === other.near && one.memoryId < other.memoryId)

interface Explained {
  readonly memoryId: string
  readonly retrievers: readonly RetrieverContribution[]
  readonly terms: readonly ScoreTerm[]
  readonly logOdds: number
  readonly restsOn: readonly string[]
}

function explain(
  member: Member,
  session: Member,
  pool: number,
  without: ReadonlySet<RankingTerm>,
): Explained {
  const { memoryId, retrievers, beside } = member
  const terms = scoreTerms({ ...member, session: session.near, pool, base: 1 }, without)
  const logOdds = terms.reduce((sum, term) => sum + term.contribution, 0)
  // What the best of the session matches together with counts, too.
  return { memoryId, retrievers, terms, logOdds, restsOn: [...beside, session.memoryId, ...session.beside] }
}
