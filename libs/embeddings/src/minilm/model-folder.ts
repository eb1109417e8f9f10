import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The model's graph, relative to the model's folder. */
export const MODEL_FILE = join('onnx', 'model.onnx')
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
export async function folderModelId(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [MODEL_FILE, MODEL_DATA_FILE])
    if (await isThere(join(folder, file)))
      await pipeline(createReadStream(join(folder, file), { highWaterMark: 1 << 20 }), hash, { end: false })
  return `${basename(folder)}@${hash.digest('hex').slice(0, 8)}/fp32`
}
