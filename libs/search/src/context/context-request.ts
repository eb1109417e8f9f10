import type { Embedder } from '@daybook/embeddings/embedder'
import { countTokens } from '@daybook/embeddings/embedders'
import { entryText } from '@daybook/memory/entry-text'
import type { MemoryFilter } from '@daybook/memory/filter'
import { type Memory, type MemoryState, memoryIdOf } from '@daybook/memory/state'
import type { SearchParts } from '../search-parts.ts'
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

/** A memory's text as an entry that fits. */
export interface FittedText {
  readonly said: string
  readonly tokens: number
  readonly whole: boolean
}

/** The number with the most digits that is likely. The real one is known when all entries are chosen. */
const SOME_NUMBER = 99

/** The tokens of an entry with the line end behind it. */
const entryTokens = (counter: TokenCounter, state: MemoryState, said: string): Promise<number> =>
  counter.count(`${entryText(SOME_NUMBER, { ...state, id: memoryIdOf(state) }, said)}\n`)

/** No tokenizer's count is lower than one token for 8 bytes (`embedders.ts`). */
const cannotFit = (said: string, room: number): boolean => Buffer.byteLength(said) > room * 8

/**
 * The form of a memory's text that fits: the whole text if it leaves half of the room to others, else the first of
 * its shorter `passages` that fits, else the whole text if there is no other way. Null if none fits.
 */
export async function fitText(
  counter: TokenCounter,
  state: MemoryState,
  text: string,
  passages: readonly string[],
  room: number,
): Promise<FittedText | null> {
  const whole = cannotFit(text, room) ? null : await entryTokens(counter, state, text)
  if (whole !== null && whole <= room / 2) return { said: text, tokens: whole, whole: true }
  for (const said of passages.filter((passage) => passage.length < text.length)) {
    if (cannotFit(said, room)) continue
    const tokens = await entryTokens(counter, state, said)
    if (tokens <= room) return { said, tokens, whole: false }
  }
  return whole !== null && whole <= room ? { said: text, tokens: whole, whole: true } : null
}

/** How much of a text is tried next if it does not fit. */
const SHORTER = 0.8

/** The beginning of a text that fits, cut at a blank; null if not even a few words do. */
export async function cutText(
  counter: TokenCounter,
  state: MemoryState,
  text: string,
  room: number,
): Promise<FittedText | null> {
  // No more can fit, and a document would be counted over and over.
  let length = Math.min(text.length, room * 8)
  for (; length >= 20; length = Math.floor(length * SHORTER)) {
    const begun = text.slice(0, length).toWellFormed()
    const said = `${begun.slice(0, Math.max(begun.search(/\s\S*$/u), length >> 1)).trimEnd()} …`
    const tokens = await entryTokens(counter, state, said)
    if (tokens <= room) return { said, tokens, whole: false }
  }
  return null
}

/** Counts the tokens of texts one after the other. */
export interface TokenCounter {
  count(text: string): Promise<number>
  /** The model whose tokenizer counted all of them; null if one was estimated. */
  countedBy(): string | null
}

/** A counter with the tokenizer of the index's model. It estimates where this process does not have it. */
export async function createTokenCounter({ embedders, readModel }: SearchParts): Promise<TokenCounter> {
  let embedder: Embedder | null = null
  try {
    embedder = await embedders.of(readModel.generation.modelId)
  } catch {
    // The search has said that the embedder does not answer.
  }
  const counters = new Set<string | null>()
  return {
    async count(text) {
      const { counts, modelId } = await countTokens(embedder, [text])
      counters.add(modelId)
      return counts[0] ?? 0
    },
    countedBy: () => (counters.has(null) ? null : ([...counters][0] ?? null)),
  }
}
