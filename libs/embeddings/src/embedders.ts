import type { Metrics } from '@daybook/runtime/metrics'
import type { Embedder, Embedding, TextSpan } from './embedder.ts'
import { estimateTokens } from './http/http-embedder.ts'

/** What is known about a model without loading it. */
export interface EmbeddingModel {
  readonly modelId: string
  /** How many numbers a vector has. */
  readonly dimension: number
}

/**
 * The embedders of a process, by model. A generation holds the vectors of one model. While it is rebuilt for
 * another model, both embedders are in use.
 */
export interface Embedders {
  /** The model for new generations, unless another one is asked for. */
  readonly preferred: EmbeddingModel
  /**
   * The model's embedder, loaded on first use; null if this process has none for it.
   * @throws EmbedderError if it cannot be loaded; the next call tries again
   */
  of(modelId: string): Promise<Embedder | null>
  /** Counts in these metrics what providers of vectors count. Absent: there are no providers. */
  countIn?(metrics: Metrics): void
}

/** Embedders that are already loaded. Without any, search works by words only. */
export function fixedEmbedders(
  embedders: readonly Embedder[],
  preferred: EmbeddingModel | undefined = embedders[0],
): Embedders {
  if (preferred === undefined) throw new Error('without an embedder the preferred model must be named')
  return {
    preferred: { modelId: preferred.modelId, dimension: preferred.dimension },
    of: (modelId) => Promise.resolve(embedders.find((one) => one.modelId === modelId) ?? null),
  }
}

/** The same embedders, each passed through `wrap`, which is called once per model. */
export function wrapEmbedders(embedders: Embedders, wrap: (embedder: Embedder) => Embedder): Embedders {
  const wrapped = new WeakMap<Embedder, Embedder>()
  return {
    preferred: embedders.preferred,
    async of(modelId) {
      const embedder = await embedders.of(modelId)
      if (embedder === null) return null
      const known = wrapped.get(embedder) ?? wrap(embedder)
      wrapped.set(embedder, known)
      return known
    },
  }
}

/** How long texts are, in tokens. */
interface TokenCounts {
  /** Of each text, in order. Special tokens do not count. */
  readonly counts: readonly number[]
  /** The model whose tokenizer counted; null if they are estimates, which are rather too high. */
  readonly modelId: string | null
}

/**
 * Bytes for which even a tokenizer's count is at least one token. WordPiece counts a word of more than 100
 * characters, or a row of emoji, as a single unknown one, which a model that reads the text would not.
 */
const MOST_BYTES_PER_TOKEN = 8

/**
 * Counts tokens with the model's tokenizer; estimates where there is none, or where it fails. A count is never
 * lower than one token for 8 bytes.
 */
export async function countTokens(embedder: Embedder | null, texts: readonly string[]): Promise<TokenCounts> {
  if (embedder?.countTokens !== undefined) {
    try {
      const counts = await embedder.countTokens(texts)
      const atLeast = (count: number, i: number) =>
        Math.max(count, Math.ceil(Buffer.byteLength(texts[i] ?? '') / MOST_BYTES_PER_TOKEN))
      return { counts: counts.map(atLeast), modelId: embedder.modelId }
    } catch {
      // A prompt is packed without the model, too; the answer says that it was estimated.
    }
  }
  return { counts: texts.map(estimateTokens), modelId: null }
}

/** For embedders that wrap another: its `countTokens`, if it has one. */
export const forwardCount = (embedder: Embedder): Pick<Embedder, 'countTokens'> =>
  embedder.countTokens === undefined
    ? {}
    : { countTokens: (texts) => embedder.countTokens?.(texts) ?? Promise.resolve([]) }

/** A part of a text and what the model says of that part. */
export interface EmbeddedChunk extends TextSpan, Embedding {}

/**
 * Cuts every text where the model needs it, and embeds all parts of all texts in one call, so that the
 * model can batch them by length across texts.
 *
 * @returns for each text, in order, its chunks in order; at least one
 * @throws EmbedderError as {@link Embedder.embed} does, except `TEXT_TOO_LONG`
 */
export async function embedInChunks(
  embedder: Embedder,
  texts: readonly string[],
): Promise<EmbeddedChunk[][]> {
  if (texts.length === 0) return []
  const spansOfTexts = await embedder.chunk(texts)
  const parts = spansOfTexts.flatMap((spans, i) => spans.map(({ start, end }) => texts[i]!.slice(start, end)))
  const embeddings = await embedder.embed(parts)
  let next = 0
  return spansOfTexts.map((spans) => spans.map(({ start, end }) => ({ start, end, ...embeddings[next++]! })))
}
