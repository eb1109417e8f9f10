import { type HitExplanation, plainExplanation, type RetrieverContribution } from './explanation.ts'
import { type Fused, fuse, type Retrievers } from './fuse.ts'
import { type Neighbourhoods, neighboursShare, poolNeighbourhoods } from './neighbours.ts'
import { contextCounts, type RankingOptions } from './options.ts'
import { sessionShares } from './sessions.ts'

/** Which retrievers found a hit. */
export type RankedMatchType = 'HYBRID' | 'SEMANTIC' | 'KEYWORD' | 'CONTEXT'

/** A hit with its score. */
export interface RankedHit {
  readonly memoryId: string
  /** 0 to 1. From `rankLate` a probability, comparable between questions; else only within one answer. */
  readonly score: number
  /**
   * HYBRID: both retrievers found it; SEMANTIC: only the vector retriever; KEYWORD: only the lexical
   * retriever; CONTEXT: none, only its neighbours brought it in.
   */
  readonly matchType: RankedMatchType
  readonly explanation: HitExplanation
  /** The other memories on which the score rests: it is not true any more if one of them has changed. */
  readonly restsOn: readonly string[]
}

/** What `rank` works on. */
export interface RankInput extends Retrievers {
  /**
   * The neighbourhood of every candidate with a context, that is of the first `candidatesPerRetriever` of
   * each retriever.
   */
  readonly neighbourhoods: Neighbourhoods
  /**
   * Whether a memory that no retriever found, but that is a neighbour of one, passes the search's filter,
   * phrases and exclusions. Called only for such memories: a retriever's hits have passed already.
   */
  readonly eligible: (memoryId: string) => boolean
  readonly options: RankingOptions
  /** the most hits to return */
  readonly limit: number
}

/**
 * Ranks what the retrievers found. It fuses the retrievers (`fuse.ts`), adds the neighbours at distance 1,
 * raises all scores by neighbours (`neighbours.ts`) and sessions (`sessions.ts`), and sorts:
 *
 * ```
 * S'(i) = (S(i) + Σ_{d=1,2} λ^d · [S(i−d) + S(i+d)] + σ · max S of the session) / (1 + 2λ + 2λ² + σ)
 * ```
 *
 * The division by the sum of weights keeps scores within 0 to 1 and does not affect the order. A neighbour to
 * which no neighbouring hit contributes is left out.
 *
 * Deterministic: equal scores are ordered by id, and the order of the input does not matter.
 *
 * ```ts
 * const eligible = (id) => passed.has(id)
 * rank({ lexical, vector, neighbourhoods, eligible, options: DEFAULT_RANKING, limit: 10 })
 * ```
 */
export function rank(input: RankInput): RankedHit[] {
  const { neighbourhoods, eligible, options, limit } = input
  const fused = fuse(input, options)
  const hits = contextCounts(options)
    ? inContext(fused, neighbourhoods, eligible, options)
    : Array.from(fused.values(), (own) => explain(own, options))

  return hits
    .toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
    .slice(0, Math.max(0, limit))
    .map(({ memoryId, ...explanation }) => ({
      memoryId,
      score: explanation.score,
      matchType: matchType(explanation.retrievers),
      explanation,
      restsOn: [
        ...explanation.neighbours.map((neighbour) => neighbour.memoryId),
        ...(explanation.session === null ? [] : [explanation.session.memoryId]),
      ],
    }))
}

/** An explanation with its memory's id, for sorting. */
type Explained = HitExplanation & { readonly memoryId: string }

/** The plain case: the fused score is the final score. */
function explain({ memoryId, retrievers, score }: Fused, { method }: RankingOptions): Explained {
  return { memoryId, ...plainExplanation({ method, retrievers, score }) }
}

/** The pool, each member raised by its neighbours and its session. */
function inContext(
  fused: ReadonlyMap<string, Fused>,
  neighbourhoods: Neighbourhoods,
  eligible: (memoryId: string) => boolean,
  options: RankingOptions,
): Explained[] {
  const scoreOf = (memoryId: string): number => fused.get(memoryId)?.score ?? 0
  const sessionOf = sessionShares(
    fused.values(),
    (memoryId) => neighbourhoods.get(memoryId)?.context,
    options.sessionShare,
  )
  const hits: Explained[] = []
  for (const [memoryId, neighbourhood] of poolNeighbourhoods(fused.keys(), neighbourhoods)) {
    const candidate = fused.get(memoryId)
    if (candidate === undefined && !eligible(memoryId)) continue
    const own = candidate ?? { memoryId, score: 0, retrievers: [] }
    const { neighbours, missing, weight } = neighboursShare(own.score, neighbourhood, scoreOf, options)
    if (candidate === undefined && neighbours.length === 0) continue
    const session = sessionOf(own, neighbourhood)
    const scale = 1 / (1 + weight + options.sessionShare)
    const near = neighbours.reduce((sum, { contribution }) => sum + contribution, missing)
    const score = Math.min(1, scale * (own.score + near + session.contribution))
    hits.push({ ...explain(own, options), neighbours, missingNeighbours: missing, session, scale, score })
  }
  return hits
}

/** The match type of a hit (`RankedHit.matchType`). @param retrievers that found it */
export function matchType(retrievers: readonly RetrieverContribution[]): RankedMatchType {
  const found = retrievers.map(({ retriever }) => retriever)
  if (found.length === 0) return 'CONTEXT'
  if (found.length > 1) return 'HYBRID'
  return found.includes('vector') ? 'SEMANTIC' : 'KEYWORD'
}
