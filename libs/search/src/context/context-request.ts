import type { MemoryFilter } from '@daybook/memory/filter'
import type { Memory } from '@daybook/memory/state'
import type { SearchAnswer } from '../search-request.ts'

/** SCORE: the best first. TIME: as things happened, the oldest first. */
export type ContextOrder = 'SCORE' | 'TIME'

/** What a prompt's context is asked for. */
export interface ContextRequest {
  readonly query: string
  readonly filter: MemoryFilter
  /** The most tokens of `text`, 1 to 100,000. */
  readonly tokenBudget: number
  readonly order: ContextOrder
  /** Leaves out hits with a lower score, 0 to 1. Default: what a search leaves out by itself. */
  readonly minScore?: number
  /** The sequence that the engine must have reached. Default 0. */
  readonly atLeast?: number
}

/** HIT: the search found it. NEIGHBOUR: it stands beside a hit that says little without it. */
export type ContextRole = 'HIT' | 'NEIGHBOUR'

/** A memory in the packed text. */
export interface ContextEntry {
  /** Its number in the text: `[1]`. */
  readonly number: number
  readonly role: ContextRole
  readonly memory: Memory
  /** Of the hit, 0 to 1; null for a neighbour. */
  readonly score: number | null
  /** The entry as it stands in the text. */
  readonly text: string
  readonly tokens: number
  /** Whether the memory's text is here from its beginning to its end; else a passage of it. */
  readonly whole: boolean
}

/** Why a hit is not in the text: there was no room for it, or a better hit says the same. */
export type LeftOutReason = 'BUDGET' | 'REPEATED'

/** A hit that is not in the text. */
export interface LeftOut {
  readonly memory: Memory
  readonly score: number
  readonly reason: LeftOutReason
}

/** The best hits of a search as one text for a prompt, within a budget of tokens. */
export interface PackedContext extends Pick<SearchAnswer, 'engine' | 'degraded' | 'message' | 'sequence'> {
  /** Empty if nothing was found. */
  readonly text: string
  /** The length of `text`, never over `tokenBudget`. */
  readonly tokens: number
  readonly tokenBudget: number
  /** The model whose tokenizer counted; null if it is an estimate, which is rather too high. */
  readonly countedBy: string | null
  /** In the order of the text. */
  readonly entries: readonly ContextEntry[]
  /** In the order of their scores. */
  readonly leftOut: readonly LeftOut[]
}
