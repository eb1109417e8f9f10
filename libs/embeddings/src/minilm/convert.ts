import { mkdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeDurably } from './atomic-folder.ts'
import { type BertConfig, type Precision, writeBertOnnx } from './bert-onnx.ts'
import { MODEL_DATA_FILE, MODEL_FILE, sealFolder } from './model-folder.ts'
import type { NpmWeights } from './npm-weights.ts'
import { openSafetensors } from './safetensors.ts'

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
export async function convertWeights(
  source: NpmWeights,
  precision: Precision,
  folder: string,
): Promise<void> {
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
