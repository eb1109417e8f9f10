import { type Embedder, EmbedderError, type Embedding, type QueryEmbedding } from './embedder.ts'
import { createChunker } from './minilm/chunk-text.ts'
import type { Tokenised } from './minilm/model.ts'
import { createScheduler } from './minilm/scheduler.ts'
import { createTokenCoder, withTokenBits } from './token-bits/token-bits.ts'

/** The options of `createHashEmbedder`. */
export interface HashEmbedderOptions {
  /** How many numbers a vector has. Default 384, as MiniLM. */
  readonly dimension?: number
  /** The longest text in words, including two special ones. Default 256. */
  readonly maxTokens?: number
  /**
   * Whether texts get token bits; the model's id then says so. Needs a dimension that is a multiple of 8. Default
   * false.
   */
  readonly tokenBits?: boolean
  /**
   * Called with the texts of every call before they are computed. It may wait, to be slow, or throw an
   * `EmbedderError`, to fail like a real embedder. Errors reach the caller unchanged.
   */
  readonly beforeEmbed?: (texts: readonly string[]) => Promise<void>
}

/** Stands for [CLS] and [SEP]; does not affect the vector. */
const SPECIAL = -1

/**
 * An embedder for tests, **not for production**: it knows words, not their meaning. Each word adds or
 * subtracts 1 at a place that its hash decides ("hashing trick", Weinberger et al. 2009), so texts that share
 * words are similar. It is deterministic, takes microseconds and needs no model. Queue, chunking and errors
 * are those of the real embedder.
 */
export function createHashEmbedder(options: HashEmbedderOptions = {}): Embedder {
  const { dimension = 384, maxTokens = 256, tokenBits = false, beforeEmbed } = options
  const coder = tokenBits ? createTokenCoder(new Float32Array(dimension)) : null
  const embedding = (row: Tokenised): Embedding => ({
    vector: toVector(row, dimension),
    tokenBits: coder?.bits(statesOf(row, dimension), 0, row.ids.length - 2) ?? null,
  })
  const queryEmbedding = (row: Tokenised): QueryEmbedding => ({
    vector: toVector(row, dimension),
    tokens: coder && {
      words: row.ids.slice(1, -1).map((id) => wordOf.get(id) ?? ''),
      states: coder.turned(statesOf(row, dimension), 0, row.ids.length - 2),
    },
  })
  /** The words of queries, by their hashes. */
  const wordOf = new Map<number, string>()
  const scheduler = createScheduler(
    {
      maxTokens,
      tokenize: hashWords,
      unknownToken: null,
      chunk: createChunker(hashWords, { maxTokens, overlapTokens: maxTokens >> 3 }),
      embedBatch: async (batch) => batch.map(embedding),
      embedQueries: async (batch) => batch.map(queryEmbedding),
    },
    { maxPaddedTokens: 512, maxTexts: 32 },
  )
  const closing = new AbortController()
  const closed = new Promise<never>((_, reject) => {
    closing.signal.addEventListener('abort', () =>
      reject(new EmbedderError('CLOSED', 'The embedder was closed')),
    )
  })
  // Rejected at close() even if nobody waits; that is not an unhandled failure.
  closed.catch(() => {})

  return {
    modelId: tokenBits ? withTokenBits(`test-hash/${dimension}`) : `test-hash/${dimension}`,
    dimension,
    maxTokens,
    chunk: (texts) => Promise.race([closed, scheduler.chunk(texts)]),
    countTokens: (texts) => Promise.race([closed, scheduler.count(texts)]),
    async embed(texts) {
      const compute = async () => {
        await beforeEmbed?.(texts)
        return scheduler.embed(texts)
      }
      return Promise.race([closed, compute()])
    },
    async embedQuery(text) {
      const compute = async () => {
        await beforeEmbed?.([text])
        for (const word of wordsIn(text)) wordOf.set(hashWord(word), word)
        return scheduler.embedQuery(text)
      }
      return Promise.race([closed, compute()])
    },
    close: async () => closing.abort(),
  }
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A 32-bit number (FNV-1a over UTF-16 units). */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** The hashes of the words, between two special tokens. */
const hashWords = (text: string): number[] => [SPECIAL, ...wordsIn(text).map(hashWord), SPECIAL]

/** Pseudo-random numbers for each word, from its hash: equal words have equal states, others unrelated ones. */
function statesOf({ ids }: Tokenised, dimension: number): Float32Array {
  const words = ids.slice(1, -1)
  const states = new Float32Array(words.length * dimension)
  let state = 0
  for (let i = 0; i < states.length; i++) {
    if (i % dimension === 0) state = words[i / dimension]! | 1
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    states[i] = state / 0x8000_0000
  }
  return states
}

function toVector({ ids }: Tokenised, dimension: number): Float32Array {
  const vector = new Float32Array(dimension)
  for (const id of ids) {
    // The top bit gives the sign, so that words with the same place cancel out as often as they add up.
    if (id !== SPECIAL) vector[(id & 0x7fff_ffff) % dimension]! += id & 0x8000_0000 ? -1 : 1
  }
  const length = Math.hypot(...vector)
  // A text without words, or whose words cancel out, still needs a direction.
  if (length === 0) vector[0] = 1
  else for (let i = 0; i < dimension; i++) vector[i]! /= length
  return vector
}
