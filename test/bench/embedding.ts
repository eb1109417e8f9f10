import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Embedder } from '@daybook/embeddings/embedder'
import { prepareMiniLm } from '@daybook/embeddings/minilm/prepare'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { env, pipeline, Tensor } from '@huggingface/transformers'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison, seconds } from './bench.ts'
import { compareLengths, type ModelAlone } from './embedding-lengths.ts'

/**
 * Our embedder (worker, sorted and batched) against the same model called text by text, as most code calls
 * it. The gain depends on the CPU: a ratio of 1.21 was measured (docs/measurements.md#embedding-in-batches).
 * Then by the length of texts, in fp32 and q8, against the model alone (docs/measurements.md#embedding-long-texts).
 */
export const name = 'embedding'
export const description =
  'our embedder (worker, sorted, batched) against the same model called text by text; by length, in fp32 and q8; --large: a conversation of 130,000 tokens'

const TEXTS = 1000
const GOAL = 1.5
const cacheDir = testCacheDir()
/** The same for both sides, and fixed, so that numbers of different machines compare. */
const THREADS = 2

const SUBJECTS =
  'the customer|our team|my sister|a new release|the old server|this plan|everyone|the garden|nobody|her letter'
const VERBS =
  'needs|remembers|quietly changed|was moved to|does not like|waits for|fixed|wrote about|keeps|will replace'
const OBJECTS =
  'a better search|the invoice from March|two cups of tea|an index of events|the morning train|long walks|a database migration|what we decided|the weekly report|less noise'
const LINKS = 'because|and then|although|while|so that|but|after|whenever|since|as'

/** Generates texts: 60 % with 5–25 words, 30 % with 40–80, 10 % with 150–180, mixed. The same in each run. */
function generateTexts(): string[] {
  const random = createRandom(17)
  const oneOf = (list: string) => random.oneOf(list.split('|'))
  return Array.from({ length: TEXTS }, () => {
    const kind = random.next()
    const length =
      kind < 0.6 ? random.between(5, 25) : kind < 0.9 ? random.between(40, 80) : random.between(150, 180)
    const words: string[] = []
    while (words.length < length) {
      words.push(...[oneOf(SUBJECTS), oneOf(VERBS), oneOf(OBJECTS), oneOf(LINKS)].join(' ').split(' '))
    }
    return `${words.slice(0, length).join(' ')}.`
  })
}

const ROUNDS = 3

/**
 * LoCoMo's conversations, if they lie beside the repository. They are for research only, so they are not in
 * it.
 */
const LOCOMO = fileURLToPath(new URL('../../../shared/locomo', import.meta.url))

interface Conversation {
  readonly sessions: readonly {
    readonly turns: readonly { readonly speaker: string; readonly text: string }[]
  }[]
}

/** The first turns of the first conversations: short, like chat. Null if this machine does not have them. */
function locomoTexts(): string[] | null {
  if (!existsSync(LOCOMO)) return null
  const files = readdirSync(LOCOMO).filter((file) => /^conv-\d+\.json$/u.test(file))
  const conversations = files
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(LOCOMO, file), 'utf8')) as Conversation)
  const turns = conversations.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns))
  return turns.slice(0, TEXTS).map(({ speaker, text }) => `${speaker}: ${text}`)
}

const largestDifference = (a: Float32Array, b: ArrayLike<number>) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? Number.NaN))), 0)

async function startDirect() {
  const { modelPath } = await prepareMiniLm({ cacheDir })
  env.localModelPath = dirname(modelPath)
  env.allowRemoteModels = false
  return pipeline('feature-extraction', basename(modelPath), {
    dtype: 'fp32',
    device: 'cpu',
    session_options: { intraOpNumThreads: THREADS, interOpNumThreads: 1 },
  })
}

/** Messages of the conversation: with all of them it takes a minute a side. */
const MESSAGES = { some: 30, all: 188 }

function withoutOurs({ tokenizer, model }: Awaited<ReturnType<typeof startDirect>>): ModelAlone {
  return {
    tokenize: (text) => tokenizer.encode(text),
    async run(batch) {
      const places = Math.max(...batch.map((ids) => ids.length))
      const padded = (valueOf: (id: number | undefined) => number) =>
        new Tensor(
          'int64',
          BigInt64Array.from({ length: batch.length * places }, (_, i) =>
            BigInt(valueOf(batch[Math.floor(i / places)]![i % places])),
          ),
          [batch.length, places],
        )
      const inputs = {
        input_ids: padded((id) => id ?? 0),
        attention_mask: padded((id) => (id === undefined ? 0 : 1)),
        token_type_ids: padded(() => 0),
      }
      const { last_hidden_state: output } = (await model(inputs)) as { last_hidden_state: Tensor }
      for (const tensor of [...Object.values(inputs), output]) tensor.dispose()
    },
  }
}

type EmbedDirectly = (text: string) => Promise<ArrayLike<number>>

async function compare(
  title: string,
  texts: readonly string[],
  embedder: Embedder,
  embedDirectly: EmbedDirectly,
  rounds: number,
): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const ours: number[] = []
  const theirs: number[] = []
  let disagreement = 0
  for (const text of texts.slice(0, 20)) await embedDirectly(text)
  await embedder.embed(texts.slice(0, 50))
  for (let round = 0; round < rounds; round += 1) {
    let vectors: Float32Array[] = []
    delay.enable()
    ours.push(
      await seconds(async () => {
        vectors = (await embedder.embed(texts)).map(({ vector }) => vector)
      }),
    )
    delay.disable()
    const reference: ArrayLike<number>[] = []
    theirs.push(
      await seconds(async () => {
        for (const text of texts) reference.push(await embedDirectly(text))
      }),
    )
    for (const [i, vector] of vectors.entries())
      disagreement = Math.max(disagreement, largestDifference(vector, reference[i] ?? []))
  }
  const rate = (times: readonly number[]) =>
    `${(texts.length / median(times)).toFixed(0)} texts/s (${median(times).toFixed(2)} s)`
  printComparison({
    title: `${texts.length} ${title}, fp32, ${THREADS} threads, median of ${rounds}`,
    ours: { label: 'Daybook, in a worker, sorted and batched', value: rate(ours) },
    theirs: { label: 'transformers.js, text by text', value: rate(theirs) },
    ratio: median(theirs.map((time, round) => time / (ours[round] ?? Number.NaN))),
    goal: { atLeast: GOAL },
  })
  console.log(
    `  largest difference of a number ${disagreement.toExponential(1)}; event loop delay of the main thread in our runs: p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
  )
}

/**
 * Prints texts/s of both sides, their ratio, the event loop's delay during our run, and how far the vectors
 * differ.
 */
export async function run({ rounds = ROUNDS, large }: BenchOptions): Promise<void> {
  const direct = await startDirect()
  const embedder = await startMiniLm({ cacheDir, threads: THREADS })
  const embedDirectly: EmbedDirectly = async (text) =>
    (await direct(text, { pooling: 'mean', normalize: true })).data as Float32Array
  await compare('mixed texts', generateTexts(), embedder, embedDirectly, rounds)
  const turns = locomoTexts()
  if (turns === null) console.log(`LoCoMo's turns: not measured, ${LOCOMO} does not exist`)
  else await compare('turns of LoCoMo', turns, embedder, embedDirectly, rounds)
  const q8 = await startMiniLm({ cacheDir, threads: THREADS, precision: 'q8' })
  await compareLengths({ 'Daybook, fp32': embedder, 'Daybook, q8': q8 }, withoutOurs(direct), {
    rounds,
    messages: large ? MESSAGES.all : MESSAGES.some,
  })
  await q8.close()
  await embedder.close()
  await direct.dispose()
}
