/** Words of ASCII letters; every other character is a piece of its own. */
const PIECE = /[A-Za-z]+|\S/gu

const encoder = new TextEncoder()

/**
 * How many tokens a text has at most, for models whose tokenizer is not here: one for every two letters of an ASCII
 * word, and one for each byte of any other character.
 *
 * It must not be too low, because a provider refuses a text that is too long. MiniLM's own tokenizer counts 33 to 84 %
 * of it on average, by language and kind of text, and at most 99 % in any chunk; only base64 goes beyond, to 109 %
 * (docs/measurements.md#tokens-without-a-tokenizer).
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE))
    tokens += piece.charCodeAt(0) < 0x80 ? Math.ceil(piece.length / 2) : encoder.encode(piece).length
  return tokens
}

/**
 * The most estimated tokens of a chunk for a model that takes `maxTokens`. A tenth stays free for texts that are
 * denser than any prose, such as base64. Larger models could take more, but one vector for pages of text says little
 * of each paragraph; 512 are about 250 tokens of English, as MiniLM's chunks.
 */
export const chunkTokensFor = (maxTokens: number): number => Math.min(512, Math.floor(maxTokens * 0.9))
