import type { Embedder } from './embedder.ts'
import { estimateTokens } from './http/estimate-tokens.ts'

/** How long texts are, in tokens. */
export interface TokenCounts {
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
