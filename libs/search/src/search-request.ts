import type { MemoryFilter } from '@daybook/memory/filter'
import type { Memory } from '@daybook/memory/state'
import type { RawBuilder } from 'kysely'
import type { EngineName, EngineWanted } from './engine/engine-name.ts'
import type { PastWanted } from './past/past-texts.ts'
import type { HitExplanation } from './ranking/explanation.ts'
import type { RankingOptions } from './ranking/options.ts'

/** HYBRID: by words and by meaning; SEMANTIC: by meaning; KEYWORD: by words. */
export type SearchMode = 'HYBRID' | 'SEMANTIC' | 'KEYWORD'
/**
 * How a hit was found. EXACT: by its key; CONTEXT: by no word and no vector, only because of the memories beside
 * it in its context; KIND: the query is the name of its kind.
 */
export type MatchType = 'EXACT' | 'CONTEXT' | 'KIND' | SearchMode

/** What to search for, and how. */
export interface SearchRequest {
  readonly query: string
  readonly filter: MemoryFilter
  readonly mode: SearchMode
  /** 1 to 100. */
  readonly limit: number
  /** Leaves out hits with a lower score, 0 to 1, and takes the place of the floor. Default: the floor. */
  readonly minScore?: number | undefined
  /**
   * Whether nothing is found where nothing is relevant (`ranking/floor.ts`). Default true; KEYWORD, whose hits
   * have the words asked for, has no floor.
   */
  readonly floor?: boolean
  /** Look at the texts of a moment, or at all that memories ever had. Default: at the present ones. */
  readonly past?: PastWanted | undefined
  /** Default `AUTO`. */
  readonly engine?: EngineWanted
  /** The sequence that the engine must have reached; AUTO avoids an engine that has not. Default 0. */
  readonly atLeast?: number
  /** Default `DEFAULT_RANKING`. External callers' values must go through `checkRanking` first. */
  readonly ranking?: Partial<RankingOptions>
  /** A further condition that every hit satisfies: SQL over the table `memories` with the alias `m`. */
  readonly also?: RawBuilder<boolean>
  /**
   * Leaves out hits that only the vector retriever found with a lower cosine, and neighbours of nothing but
   * such hits. Default: none are left out, however far they are.
   */
  readonly leastCosine?: number
}

/** A memory that was found. */
export interface SearchHit {
  readonly memory: Memory
  /** 0 to 1: see `RankedHit.score`. */
  readonly score: number
  readonly matchType: MatchType
  /** The plain id of the memory that supersedes it; absent if none does, or nobody looked. */
  readonly supersededBy?: string
  /** The plain id of the newer memory of the same thing by which it seems superseded. Nobody has said so. Absent: none. */
  readonly seemsSupersededBy?: string
  /** The plain ids of other memories that were found and have the same text. Absent: none. */
  readonly sameText?: readonly string[]
  /** HTML: matches in `<mark>`, everything else escaped. */
  readonly snippet: string
  /** The text that the snippet shows the best part of: the whole, or the nearest part of a long text. */
  readonly passage?: string
  readonly explanation: Explanation
}

/** Why a hit has its rank. */
export interface Explanation extends HitExplanation {
  /** The projection's generation that was searched. */
  readonly generation: number
  /** The model whose vectors were compared; null if the vector retriever did not run. */
  readonly modelId: string | null
}

/** The answer to a search. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[]
  /** The hits that facets count, if these are more than `hits`. */
  readonly counted?: readonly SearchHit[]
  /** The names of the hits' projects, where several were searched. */
  readonly projectNames?: ReadonlyMap<SearchHit, string>
  /** Whether hits are versions rather than memories as they are. Default no. */
  readonly versions?: boolean
  /** How the search was done in the end; null if nothing was found. */
  readonly matchType: MatchType | null
  /** The engine that answered. */
  readonly engine: EngineName
  /** What was missing, in words. */
  readonly degraded: readonly string[]
  /** A hint if nothing was found; else what was left out, in words. */
  readonly message: string | null
  /** The journal position that the answer includes. */
  readonly sequence: number
}
