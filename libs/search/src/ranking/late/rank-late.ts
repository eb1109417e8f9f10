import { plainExplanation, type RetrieverContribution } from '../explanation.ts'
import type { Retrievers } from '../fuse.ts'
import { type Neighbourhood, type Neighbourhoods, poolNeighbourhoods } from '../neighbourhood.ts'
import { matchType, type RankedHit } from '../rank.ts'
import { type RetrieverHit, type RetrieverName, retrieverCandidates } from '../retriever.ts'
import type { RankingTerm } from '../terms.ts'
import { estimateMatches } from './estimate.ts'
import { type QuestionToken, wholeWeight } from './question-weights.ts'
import { LONG_TOKENS, logOddsOf, probability, scoreTerms, type TermName, termWeights } from './terms.ts'
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
  const weights = termWeights(input.without)
  const scored = pool.map((member) => {
    const best = session(member)
    member.values.session = best.values.near
    return { member, best, logOdds: logOddsOf(member.values, weights) }
  })
  // Explained are only those that are shown: for a pool of 500 that takes as long as all the rest.
  return scored
    .toSorted((a, b) => b.logOdds - a.logOdds || (a.member.memoryId < b.member.memoryId ? -1 : 1))
    .slice(0, Math.max(0, input.limit))
    .map(({ member, best, logOdds }) => {
      const { memoryId, values } = member
      const retrievers = [
        ...contributionOf('lexical', member.lexical, values.words, weights.words),
        ...contributionOf('vector', member.vector, values.vector, weights.vector),
      ]
      const score = probability(logOdds)
      return {
        memoryId,
        score,
        matchType: matchType(retrievers),
        explanation: plainExplanation({
          method: 'DEFAULT',
          retrievers,
          terms: scoreTerms(values, weights),
          score,
        }),
        // What the best of the session matches together with counts, too.
        restsOn: [...member.beside, best.memoryId, ...best.beside],
      }
    })
}

/** A memory that can become a hit. */
interface Member {
  readonly memoryId: string
  readonly context: string | null
  /** Where the retrievers found it. */
  readonly lexical: Found | undefined
  readonly vector: Found | undefined
  /** The memories around it that match together with it. */
  readonly beside: readonly string[]
  /** That of `session` is known once all members are. */
  readonly values: Record<TermName, number>
}

function poolOf(input: RankLateInput): Member[] {
  const { question, matches, neighbourhoods, eligible, isSpokenByNamed, timeMatch, candidatesPerRetriever } =
    input
  const lexical = ranksOf(input.lexical, candidatesPerRetriever)
  const vector = ranksOf(input.vector, candidatesPerRetriever)
  const candidates = new Set([...lexical.keys(), ...vector.keys()])
  const all = poolNeighbourhoods(candidates, neighbourhoods)
  const ids = [...all.keys()].filter((id) => candidates.has(id) || eligible(id))
  const inPool = new Set(ids)
  const whole = wholeWeight(question)
  const choice = Math.log(ids.length)
  // A memory that the vector retriever did not find is farther than the last one that it found.
  const farthest = Math.min(...[...vector.values()].map(({ score }) => score), 1)
  return ids.map((memoryId) => {
    const neighbourhood = all.get(memoryId) ?? null
    const row = matches.get(memoryId)
    const beside: string[] = []
    const rows: TokenMatches[] = []
    around(neighbourhood, (id) => {
      const other = inPool.has(id) ? matches.get(id) : undefined
      if (other === undefined) return
      beside.push(id)
      rows.push(other)
    })
    const words = wordsShare(lexical.get(memoryId)?.score ?? 0, whole)
    const { own, near } = tokenMatches(question, row, rows, words)
    return {
      memoryId,
      context: neighbourhood?.context ?? null,
      lexical: lexical.get(memoryId),
      vector: vector.get(memoryId),
      beside,
      values: {
        base: 1,
        pool: choice,
        own,
        near,
        session: 0,
        words,
        vector: vector.get(memoryId)?.score ?? (vector.size > 0 ? farthest : 0),
        speaker: isSpokenByNamed(memoryId) ? 1 : 0,
        time: timeMatch(memoryId),
        length: Math.log2(Math.max(row?.tokens ?? 0, LONG_TOKENS) / LONG_TOKENS),
      },
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

/** Calls `each` with the memories beside one, those before it first, nearest first. */
function around(neighbourhood: Neighbourhood | null, each: (memoryId: string) => void): void {
  if (neighbourhood === null) return
  for (const side of [neighbourhood.before, neighbourhood.after])
    for (let at = 0; at < Math.min(side.length, AROUND); at += 1) each(side[at] as string)
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
  one.values.near > other.values.near ||
  (one.values.near === other.values.near && one.memoryId < other.memoryId)
