import type { HitExplanation } from './explanation.ts'
import { type Fused, fuse, type Retrievers } from './fuse.ts'
import { type Neighbourhoods, poolNeighbourhoods } from './neighbourhood.ts'
import { neighboursShare } from './neighbours.ts'
import { contextCounts, type RankingOptions } from './options.ts'
import { sessionShares } from './sessions.ts'

/** By what a hit was found. */
export type RankedMatchType = 'HYBRID' | 'SEMANTIC' | 'KEYWORD'

export interface RankedHit {
  readonly memoryId: string
  /** 0 to 1, comparable within one answer */
  readonly score: number
  /**
   * HYBRID: both retrievers found it; SEMANTIC: the vector retriever alone; KEYWORD: the lexical retriever alone. A memory that neither found
   * owes its place to neighbours, and has what the search as a whole was: HYBRID if both retrievers ran, else the retriever that ran.
   */
  readonly matchType: RankedMatchType
  readonly explanation: HitExplanation
}

export interface RankInput extends Retrievers {
  /** Of every candidate that has a context, i.e. of the first `candidatesPerRetriever` of each retriever. */
  readonly neighbourhoods: Neighbourhoods
  /**
   * Whether a memory that no retriever found, but that stands beside one, passes the search's filters and the query's phrases and
   * exclusions. Asked for such memories only: what a retriever returned has passed already.
   */
  readonly eligible: (memoryId: string) => boolean
  readonly options: RankingOptions
  /** hits to return, at most */
  readonly limit: number
}

/**
 * Orders what the retrievers found: fuses the retrievers (`fuse.ts`), takes in the neighbours at distance 1, lifts all by what stands
 * beside them:
 *
 * ```
 * S'(i) = (S(i) + Σ_{d=1,2} λ^d · [S(i−d) + S(i+d)] + σ · max S of the session) / (1 + 2λ + 2λ² + σ)
 * ```
 *
 * (`neighbours.ts`, `sessions.ts`), and sorts. Divided by the weights' sum, which leaves the order alone and scores within 0 to 1. A neighbour that no hit beside it lifts is left out.
 *
 * Deterministic: equal scores go by id, and the order of lists with equal scores or of the map does not matter.
 *
 * ```ts
 * rank({ lexical, vector, neighbourhoods, eligible: (id) => passed.has(id), options: DEFAULT_RANKING, limit: 10 })
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
      matchType: matchType(explanation, input),
      explanation,
    }))
}

/** An explanation that knows whose it is: what is sorted. */
type Explained = HitExplanation & { readonly memoryId: string }

/** The plain case: the fused score is the score. */
function explain({ memoryId, retrievers, score }: Fused, { method }: RankingOptions): Explained {
  return {
    memoryId,
    method,
    retrievers,
    neighbours: [],
    missingNeighbours: 0,
    session: null,
    ownScore: score,
    scale: 1,
    score,
  }
}

/** The pool, every member lifted by its neighbours and its session. */
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

function matchType({ retrievers }: HitExplanation, ran: Retrievers): RankedMatchType {
  const found = retrievers.map(({ retriever }) => retriever)
  const lexical = found.length === 0 ? ran.lexical !== null : found.includes('lexical')
  const vector = found.length === 0 ? ran.vector !== null : found.includes('vector')
  if (lexical && vector) return 'HYBRID'
  return vector ? 'SEMANTIC' : 'KEYWORD'
}
