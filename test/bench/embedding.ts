import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { prepareMiniLm } from '@daybook/embeddings/minilm/prepare'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { env, pipeline } from '@huggingface/transformers'

/**
 * Our embedder (worker, sorted and batched) against the same model called text by text, as most code calls it.
 *
 * What can be won depends on the CPU. Measured on 2 AVX2 cores of 2.6 GHz: a batch's matrix products run at about the 166
 * GFLOPS that these cores can do (85 % of the time), a short text alone reaches 4,600 tokens/s, a batch 6,700; these mixed texts give a ratio of 1.21.
 * Sorting is worth more against unsorted batches than against text by text, which has no padding at all.
 */
export const name = 'embedding'

const TEXTS = 1000
const GOAL = 1.5
const cacheDir = process.env.DAYBOOK_TEST_CACHE ?? join(tmpdir(), 'daybook-test-cache')
/** The same for both sides, and fixed, so that numbers of different machines are of the same work. */
const THREADS = 2

const SUBJECTS =
  'the customer|our team|my sister|a new release|the old server|this plan|everyone|the garden|nobody|her letter'
const VERBS =
  'needs|remembers|quietly changed|was moved to|does not like|waits for|fixed|wrote about|keeps|will replace'
const OBJECTS =
  'a better search|the invoice from March|two cups of tea|an index of events|the morning train|long walks|a database migration|what we decided|the weekly report|less noise'
const LINKS = 'because|and then|although|while|so that|but|after|whenever|since|as'

/** A fixed pseudo-random sequence in [0, 1) (mulberry32), so that each run has the same texts. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** 60 % of 5–25 words, 30 % of 40–80, 10 % of 150–180, mixed. */
function generateTexts(): string[] {
  const random = createRandom(17)
  const oneOf = (list: string) => {
    const choices = list.split('|')
    return choices[Math.floor(random() * choices.length)]!
  }
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1))
  return Array.from({ length: TEXTS }, () => {
    const kind = random()
    const length = kind < 0.6 ? between(5, 25) : kind < 0.9 ? between(40, 80) : between(150, 180)
    const words: string[] = []
    while (words.length < length) {
      words.push(...[oneOf(SUBJECTS), oneOf(VERBS), oneOf(OBJECTS), oneOf(LINKS)].join(' ').split(' '))
    }
    return `${words.slice(0, length).join(' ')}.`
  })
}

/** Two runs of each side by turns, the better counts: other work on the machine then hits both alike. */
const ROUNDS = 2

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

const largestDifference = (a: Float32Array, b: ArrayLike<number>) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0)

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

/** Prints texts/s of both sides, their ratio, the event loop's delay during our run, and that both give the same vectors. */
export async function run(): Promise<void> {
  const texts = generateTexts()
  const direct = await startDirect()
  const embedder = await startMiniLm({ cacheDir, threads: THREADS })
  const embedDirectly = (text: string) => direct(text, { pooling: 'mean', normalize: true })
  const delay = monitorEventLoopDelay({ resolution: 1 })

  for (const text of texts.slice(0, 20)) await embedDirectly(text)
  await embedder.embed(texts.slice(0, 50))

  let ours = Number.POSITIVE_INFINITY
  let theirs = Number.POSITIVE_INFINITY
  let disagreement = 0
  for (let round = 0; round < ROUNDS; round++) {
    let vectors: Float32Array[] = []
    delay.enable()
    const took = await seconds(async () => {
      vectors = await embedder.embed(texts)
    })
    delay.disable()
    const reference: ArrayLike<number>[] = []
    const tookDirectly = await seconds(async () => {
      for (const text of texts) reference.push((await embedDirectly(text)).data as Float32Array)
    })
    ours = Math.min(ours, took)
    theirs = Math.min(theirs, tookDirectly)
    disagreement = Math.max(
      disagreement,
      ...vectors.map((vector, i) => largestDifference(vector, reference[i]!)),
    )
  }

  const rate = (time: number) => `${(TEXTS / time).toFixed(0)} texts/s (${time.toFixed(2)} s)`
  const ratio = theirs / ours
  console.log(`${TEXTS} mixed texts, fp32, ${THREADS} threads, best of ${ROUNDS}`)
  console.log(`  Daybook, in a worker, sorted and batched   ${rate(ours)}`)
  console.log(`  transformers.js, text by text              ${rate(theirs)}`)
  console.log(
    `  ratio ${ratio.toFixed(2)} (goal ${GOAL})   largest difference of a number ${disagreement.toExponential(1)}`,
  )
  console.log(
    `  event loop delay of the main thread in our runs: p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`,
  )
  await embedder.close()
  await direct.dispose()
}
