import { DEFAULT_MODEL } from '@daybook/embeddings/default-model'
import { plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import type { Floor } from './ranking/floor.ts'

/**
 * MiniLM's. With an answer floor of .01 no question of five collections loses its evidence, with .02 the bundled
 * ones lose .05 of their recall; a stranger's .05 leaves out nine of ten questions about people of other
 * conversations, .1 loses twice as many right ones. One in 250 questions without an answer finds .25 of its words.
 */
const MINILM: Floor = {
  answer: 0.01,
  stranger: 0.05,
  fromMemories: 100,
  words: 0.25,
  cosine: 0.12,
  unheard: 0.4,
}

/** The floor of a model; null for one that was not measured: nothing is left out then. */
export const floorOf = (modelId: string): Floor | null =>
  plainModelId(modelId) === plainModelId(DEFAULT_MODEL.modelId) ? MINILM : null
