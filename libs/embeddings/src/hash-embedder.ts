import type { Embedder } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'
import { createChunker } from './minilm/chunk-text.ts'
import { createScheduler, type Row } from './minilm/scheduler.ts'

/** The options of `createHashEmbedder`. */
export interface HashEmbedderOptions {
  /** How many numbers a vector has. Default 384, as MiniLM. */
  readonly dimension?: number
  /** The longest text in words, including two special ones. Default 256. */
  readonly maxTokens?: number
  /**
   * Called with the texts of every `embed` before they are computed. It may wait, to be slow, or throw an
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
  const { dimension = 384, maxTokens = 256, beforeEmbed } = options
  const scheduler = createScheduler(
    {
      maxTokens,
      tokenize: hashWords,
      chunk: createChunker(hashWords, { maxTokens, overlapTokens: maxTokens >> 3 }),
      embedBatch: async (batch) => batch.map((row) => toVector(row, dimension)),
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
    modelId: `test-hash/${dimension}`,
    dimension,
    maxTokens,
    chunk: (texts) => Promise.race([closed, scheduler.chunk(texts)]),
    async embed(texts, { priority = 'bulk' } = {}) {
      const compute = async () => {
        await beforeEmbed?.(texts)
        return scheduler.embed(texts, priority)
      }
      return Promise.race([closed, compute()])
    },
    close: async () => closing.abort(),
  }
}

/** A 32-bit number per word (FNV-1a over UTF-16 units), between two special tokens. */
function hashWords(text: string): number[] {
  const ids = [SPECIAL]
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    let hash = 0x811c9dc5
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
    ids.push(hash >>> 0)
  }
  ids.push(SPECIAL)
  return ids
}

function toVector({ ids }: Row, dimension: number): Float32Array {
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
