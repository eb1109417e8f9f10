import type { MemoryFilter } from '@daybook/memory/filter'
import type { Memory } from '@daybook/memory/state'
import type { EngineName, EngineWanted } from './engine/engine-name.ts'
import type { HitExplanation } from './ranking/explanation.ts'
import type { RankingOptions } from './ranking/options.ts'

export type SearchMode = 'HYBRID' | 'SEMANTIC' | 'KEYWORD'
export type MatchType = 'EXACT' | SearchMode

export interface SearchRequest {
  readonly query: string
  readonly filter: MemoryFilter
  readonly mode: SearchMode
  /** 1 to 100. */
  readonly limit: number
  /** Default `AUTO`. */
  readonly engine?: EngineWanted
  /** The sequence that the engine has to have come to; AUTO keeps away from one that has not. Default 0. */
  readonly atLeast?: number
  /** Default `DEFAULT_RANKING`; what a caller from outside says of it goes through `checkRanking` first. */
  readonly ranking?: Partial<RankingOptions>
  /**
   * Leaves out what is no nearer than this by its meaning alone: hits that only the vector retriever found with a lower cosine,
   * and neighbours of nothing but such. Absent, the nearest are given however far they are.
   */
  readonly leastCosine?: number
}

export interface SearchHit {
  readonly memory: Memory
  /** 0 to 1, comparable within one answer. */
  readonly score: number
  readonly matchType: MatchType
  /** HTML: matches in `<mark>`, the rest escaped. */
  readonly snippet: string
  readonly explanation: Explanation
}

/** Why a hit is where it is. */
export interface Explanation extends HitExplanation {
  /** The projection's generation that was searched. */
  readonly generation: number
  /** The model whose vectors were compared; null where the vector retriever did not run. */
  readonly modelId: string | null
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[]
  /** What the search was in the end; null where nothing was found. */
  readonly matchType: MatchType | null
  /** The one that answered. */
  readonly engine: EngineName
  /** What was missing, in words. */
  readonly degraded: readonly string[]
  /** A hint where nothing was found. */
  readonly message: string | null
  /** The position in the journal that the answer includes. */
  readonly sequence: number
}
