import type { RankingTerm } from '../ablation.ts'
import { plainExplanation, type RetrieverContribution } from '../explanation.ts'
import type { Evidence } from '../floor.ts'
import type { Retrievers } from '../fuse.ts'
import { matchType, type RankedHit } from '../rank.ts'
import type { RetrieverHit, RetrieverName } from '../retriever.ts'
import { bestOfSessions, type Member, type PoolInput, poolOf, type RankedCandidate } from './pool.ts'
import { logOddsOf, probability, scoreTerms, termWeights } from './terms.ts'
import { type WeightedToken, wholeWeight, wordsShare } from './weighted-tokens.ts'

/** What `rankLate` works on. */
export interface RankLateInput extends PoolInput {
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
 * log-odds = 6·own + 6·near + 1.5·session + 3·words + 1.5·vector + 1.25·speaker + 2·time − .3·length − 1.5·pool − 2.2
 * score    = 1 / (1 + e^−log-odds)
 * ```
 *
 * The terms and their weights are in `terms.ts`. No term is relative to the best of the answer, so scores
 * are comparable between questions: each is the probability that the hit is relevant.
 *
 * A neighbour counts as far as it continues the memory (`continuation`), and so does the best of its context.
 * The candidates and the neighbours at distance 1 that were looked up can become hits, and match as each other's
 * surroundings.
 * Deterministic: equal scores are ordered by id, and the order of the input does not matter.
 */
export function rankLate(input: RankLateInput): RankedHit[] {
  const weights = termWeights(input.without)
  // Explained are only those that are shown: for a pool of 500 that takes as long as all the rest.
  return bestOf(input).map(({ member, best, logOdds }) => {
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

/**
 * How many candidates have their neighbours looked up. There are 175 on average among 25,000 memories, where LoCoMo's 760
 * questions find .801 (recall@10) with 80, 100 and all of them, and .795 with 60
 * (docs/measurements.md#neighbours-of-the-best).
 */
export const PROMISING = 80

/** The candidates that score best without their neighbours, best first, at most `PROMISING`. */
export const promisingCandidates = (input: Omit<RankLateInput, 'neighbourhoods' | 'eligible' | 'limit'>) =>
  bestOf({ ...input, neighbourhoods: new Map(), eligible: () => false, limit: PROMISING }).map(
    ({ member }) => member.memoryId,
  )

interface Scored {
  readonly member: Member
  /** The member that matches best in its context. */
  readonly best: Member
  readonly logOdds: number
}

/** The best of the pool, best first, equal scores by id. */
function bestOf(input: RankLateInput): Scored[] {
  const pool = poolOf(input)
  const session = bestOfSessions(pool)
  const weights = termWeights(input.without)
  return pool
    .map((member) => {
      const best = session(member)
      const { values, continued } = member
      values.session = values.near + continued * (best.values.near - values.near)
      return { member, best, logOdds: logOddsOf(member.values, weights) }
    })
    .toSorted((a, b) => b.logOdds - a.logOdds || (a.member.memoryId < b.member.memoryId ? -1 : 1))
    .slice(0, Math.max(0, input.limit))
}

function contributionOf(
  retriever: RetrieverName,
  found: RankedCandidate | undefined,
  value: number,
  weight: number,
): RetrieverContribution[] {
  if (found === undefined) return []
  const { rank, score } = found
  return [{ retriever, rank, rawScore: score, normalisedScore: value, weight, contribution: weight * value }]
}

/**
 * The evidence in all that the retrievers found: `evidenceOf` all hits that `rankLate` makes of it, without making
 * more hits than are shown.
 */
export function evidenceIn(
  { lexical, vector }: Retrievers,
  weightedTokens: readonly WeightedToken[],
): Evidence {
  const hasWords = lexical !== null && lexical.length > 0
  return {
    wordsShare: hasWords ? wordsShare(highestScore(lexical), wholeWeight(weightedTokens)) : null,
    nearest: vector !== null && vector.length > 0 ? highestScore(vector) : -1,
  }
}

const highestScore = (hits: readonly RetrieverHit[]): number => Math.max(...hits.map(({ score }) => score))

/** A time that a question names: from `from` until before `to`, in milliseconds since 1970. */
export interface WantedTime {
  readonly from: number
  readonly to: number
}

/** How fast that fades beside the time: what is told of a day is often told some days later. */
const FADE_MS = 3 * 86_400_000

/**
 * How near a time is to the nearest of those wanted: 1 within it, falling to 0 with the distance; 0 if it is NaN,
 * or none is wanted.
 */
export function nearness(time: number, wanted: readonly WantedTime[]): number {
  if (Number.isNaN(time)) return 0
  return Math.max(
    0,
    ...wanted.map(({ from, to }) => Math.exp(-Math.max(0, from - time, time - (to - 1)) / FADE_MS)),
  )
}
