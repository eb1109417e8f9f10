import { DEFAULT_MODEL, Q8_MODEL } from '@daybook/embeddings/models'
import { plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import type { Floor } from './ranking/floor.ts'

/**
 * MiniLM's. With an answer floor of .01 no question of five collections loses its evidence, with .02 the bundled
 * ones lose .05 of their recall; a stranger's .05 leaves out nine of ten questions about people of other
 * conversations, .1 loses twice as many right ones. One in 250 questions without an answer finds .25 of its words.
 * Of the daily questions no right answer to one with an unknown identifier was below .3.
 */
const MINILM: Floor = {
  answer: 0.01,
  stranger: 0.05,
  unnamed: 0.3,
  fromMemories: 100,
  wordsShare: 0.25,
  cosine: 0.12,
  unheard: 0.4,
}

/** Models with MiniLM's scores: in q8 they differ by hundredths (docs/measurements.md#models-in-q8). */
const LIKE_MINILM = new Set([DEFAULT_MODEL, Q8_MODEL].map(({ modelId }) => plainModelId(modelId)))

/** The floor of a model; null for one that was not measured: nothing is left out then. */
export const floorOf = (modelId: string): Floor | null =>
  LIKE_MINILM.has(plainModelId(modelId)) ? MINILM : null
