import type { Retrievers } from '../fuse.ts'
import { type Neighbourhood, type Neighbourhoods, poolNeighbourhoods } from '../neighbours.ts'
import { type RetrieverHit, retrieverCandidates } from '../retriever.ts'
import { LONG_TOKENS, type TermName } from './terms.ts'
import { type MatchesBeside, nearMatch, ownMatch, type TokenMatches, type TokenRows } from './token-rows.ts'
import { type WeightedToken, wholeWeight, wordsShare } from './weighted-tokens.ts'

/** What a pool is made of. */
export interface PoolInput extends Retrievers {
  readonly weightedTokens: readonly WeightedToken[]
  /**
   * The rows of the memories that can become hits: the candidates and the neighbours at distance 1 that were looked
   * up. Rows of others are not used. A memory whose embedding is not there yet has none.
   */
  readonly matches: TokenRows
  /** The neighbourhoods of candidates with a context, as far as they were looked up. */
  readonly neighbourhoods: Neighbourhoods
  /** How far a memory continues one beside it, 0 to 1 (`continuation`). Default: wholly. */
  readonly continues?: (memoryId: string, beside: string) => number
  /** Whether a memory that no retriever found passes the search's filter, phrases and exclusions. */
  readonly eligible: (memoryId: string) => boolean
  /** Whether a person named in the question speaks in the memory (`speakers.ts`). */
  readonly isSpokenByNamed: (memoryId: string) => boolean
  /** How near the memory is to a time that the question names, 0 to 1 (`rank-late.ts`). */
  readonly timeMatch: (memoryId: string) => number
  /** How many of each retriever's best hits take part: 100, as 50 and 200 find the same. */
  readonly candidatesPerRetriever: number
  /** Of how many candidates the neighbours were looked up. Default: of all. */
  readonly lookedUp?: number
  /** How many memories there are. Default: more than can become hits. */
  readonly memories?: number
}

/** A memory that can become a hit. */
export interface Member {
  readonly memoryId: string
  readonly context: string | null
  /** Where the retrievers found it. */
  readonly lexical: RankedCandidate | undefined
  readonly vector: RankedCandidate | undefined
  /** The memories around it that match together with it. */
  readonly beside: readonly string[]
  /** How far it continues the one of them that it continues most, 0 to 1; 0 where there are none. */
  readonly continued: number
  /** That of `session` is known once all members are. */
  readonly values: Record<TermName, number>
}

/** The memories that can become hits: the candidates and the neighbours at distance 1 that were looked up. */
export function poolOf(input: PoolInput): Member[] {
  const {
    weightedTokens,
    matches,
    neighbourhoods,
    eligible,
    isSpokenByNamed,
    timeMatch,
    candidatesPerRetriever,
  } = input
  const { continues = () => 1 } = input
  const lexical = ranksOf(input.lexical, candidatesPerRetriever)
  const vector = ranksOf(input.vector, candidatesPerRetriever)
  const candidates = new Set([...lexical.keys(), ...vector.keys()])
  const all = poolNeighbourhoods(candidates, neighbourhoods)
  const ids = [...all.keys()].filter((id) => candidates.has(id) || eligible(id))
  const inPool = new Set(ids)
  const whole = wholeWeight(weightedTokens)
  const choice = Math.log(couldBecomeHits(candidates.size, ids.length, input))
  // A memory that the vector retriever did not find is farther than the last one that it found.
  const farthest = Math.min(...[...vector.values()].map(({ score }) => score), 1)
  return ids.map((memoryId) => {
    const neighbourhood = all.get(memoryId) ?? null
    const row = matches.get(memoryId)
    const beside: string[] = []
    const rows: MatchesBeside[] = []
    let continued = 0
    around(neighbourhood, (id) => {
      const other = inPool.has(id) ? matches.get(id) : undefined
      if (other === undefined) return
      const share = continues(memoryId, id)
      if (share === 0) return
      continued = Math.max(continued, share)
      beside.push(id)
      rows.push({ matches: other, share })
    })
    const words = wordsShare(lexical.get(memoryId)?.score ?? 0, whole)
    const { own, near } = tokenMatches(weightedTokens, row, rows, words)
    return {
      memoryId,
      context: neighbourhood?.context ?? null,
      lexical: lexical.get(memoryId),
      vector: vector.get(memoryId),
      beside,
      continued,
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

/**
 * How many memories could become hits if the neighbours of all candidates were looked up: those of the others are taken
 * to be as many, so that a score means the same whether all were or not.
 */
function couldBecomeHits(
  candidates: number,
  pool: number,
  { lookedUp = candidates, memories = Number.POSITIVE_INFINITY }: Pick<PoolInput, 'lookedUp' | 'memories'>,
): number {
  const neighbours = (pool - candidates) * Math.max(1, candidates / Math.max(1, lookedUp))
  return Math.max(pool, Math.min(memories, candidates + neighbours))
}

/** A retriever's hit, and its rank from 1. */
export type RankedCandidate = RetrieverHit & { readonly rank: number }

const ranksOf = (hits: readonly RetrieverHit[] | null, candidates: number): Map<string, RankedCandidate> =>
  new Map(
    retrieverCandidates(hits ?? [], candidates).map((hit, index) => [
      hit.memoryId,
      { ...hit, rank: index + 1 },
    ]),
  )

/** How many memories on each side match together with a memory. With one LoCoMo loses .01 recall. */
const AROUND = 2

/** Texts that resemble each other less have nothing to do with each other, and those that do more continue each other wholly. */
const RESEMBLANCE = { least: 0.12, most: 0.3 }

/** How far a text continues the one beside it, 0 to 1. @param resemblance of the two (`resemblance.ts`) */
export const continuation = (resemblance: number): number =>
  Math.min(1, Math.max(0, (resemblance - RESEMBLANCE.least) / (RESEMBLANCE.most - RESEMBLANCE.least)))

/** Calls `each` with the memories beside one, those before it first, nearest first. */
function around(neighbourhood: Neighbourhood | null, each: (memoryId: string) => void): void {
  if (neighbourhood === null) return
  for (const side of [neighbourhood.before, neighbourhood.after])
    for (let at = 0; at < Math.min(side.length, AROUND); at += 1) each(side[at] as string)
}

function tokenMatches(
  weightedTokens: readonly WeightedToken[],
  row: TokenMatches | undefined,
  beside: readonly MatchesBeside[],
  words: number,
): { readonly own: number; readonly near: number } {
  if (row !== undefined)
    return { own: ownMatch(weightedTokens, row), near: nearMatch(weightedTokens, row, beside) }
  const estimated = estimateMatches(words)
  if (beside.length === 0) return estimated
  return { own: estimated.own, near: Math.max(estimated.near, nearMatch(weightedTokens, undefined, beside)) }
}

/** The member that matches best in each member's context; itself without a context. */
export function bestOfSessions(pool: readonly Member[]): (member: Member) => Member {
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

/**
 * What a memory that is not embedded yet would probably have, from the words alone: it must be found
 * meanwhile, neither before nor behind all others. Lines through the memories that share a word with a
 * question, in four collections (`docs/measurements.md#late-interaction`).
 *
 * @param words its value of the term `words`
 */
function estimateMatches(words: number): { readonly own: number; readonly near: number } {
  return { own: Math.min(0.5, 0.27 + 0.8 * words), near: Math.min(0.8, 0.32 + 1.4 * words) }
}
