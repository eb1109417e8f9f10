import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { pause } from '@daybook/runtime/backoff'
import { askGraphQL, dataOf } from '../src/support/graphql.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { createVocabulary, sentence } from './generated-texts.ts'
import type { LoopDelay, SampledMessage, SampleRequest } from './sampled-daemon.ts'

/**
 * Whether embedding keeps the gateway from answering: it shares the daemon's process, but must not share its
 * thread.
 */
export const name = 'embed-loop-delay'
export const description =
  "the gateway's event loop delay while 1,000 memories are written over GraphQL and embedded"

const MEMORIES = 1_000
const A_CALL = 50
const ROUNDS = 3
const GOAL_MS = 50
const IDLE_MS = 5_000

interface Address {
  readonly url: string
  readonly apiKey: string
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const environment = {
    DAYBOOK_DATA_DIR: dataDir,
    DAYBOOK_PORT: '0',
    DAYBOOK_EMBEDDER: 'minilm',
    DAYBOOK_MODEL_CACHE: testCacheDir(),
  }
  const module = fileURLToPath(new URL('./sampled-daemon.ts', import.meta.url))
  const child = fork(module, { execArgv: ['--import', 'tsx'], env: { ...process.env, ...environment } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const idle: LoopDelay[] = []
  const busy: LoopDelay[] = []
  let took = 0
  try {
    const at = await answer(child, null, 'ready')
    const random = createRandom(1_000)
    const word = createVocabulary(random, 5_000)
    // The first run compiles the code; that delay belongs to the start, not to embedding.
    await remember(
      at,
      Array.from({ length: 100 }, () => sentence(random, word, 10, 60)),
    )
    await untilEmbedded(at)
    for (let round = 0; round < rounds; round += 1) {
      await answer(child, 'sample', 'sampling')
      await pause(IDLE_MS)
      idle.push((await answer(child, 'finish', 'sampled')).delay)
      await answer(child, 'sample', 'sampling')
      const started = Date.now()
      await remember(
        at,
        Array.from({ length: MEMORIES }, () => sentence(random, word, 10, 60)),
      )
      await untilEmbedded(at)
      took += (Date.now() - started) / 1000 / rounds
      busy.push((await answer(child, 'finish', 'sampled')).delay)
    }
  } finally {
    if (child.connected) child.send('stop' satisfies SampleRequest)
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
  const show = (delays: readonly LoopDelay[]) =>
    (['p50', 'p99', 'max'] as const)
      .map((what) => `${what} ${median(delays.map((delay) => delay[what])).toFixed(1)} ms`)
      .join('   ')
  const p99 = median(busy.map((delay) => delay.p99))
  printComparison({
    title: `Event loop delay while ${MEMORIES} memories are written and embedded (${took.toFixed(1)} s), median of ${rounds}; the ratio is of p99 to ${GOAL_MS} ms`,
    ours: { label: 'embedding', value: show(busy) },
    theirs: { label: 'idle', value: show(idle) },
    ratio: p99 / GOAL_MS,
    goal: { atMost: 1 },
  })
}

/** Asks the child, and waits for its answer of the given type. @throws if the child ends instead */
function answer<Type extends SampledMessage['type']>(
  child: ChildProcess,
  request: SampleRequest | null,
  type: Type,
): Promise<Extract<SampledMessage, { type: Type }>> {
  return new Promise((resolve, reject) => {
    const onEnd = () => reject(new Error('the sampled daemon ended'))
    const onMessage = (message: unknown) => {
      if ((message as SampledMessage).type !== type) return
      child.off('exit', onEnd)
      child.off('message', onMessage)
      resolve(message as Extract<SampledMessage, { type: Type }>)
    }
    child.once('exit', onEnd)
    child.on('message', onMessage)
    if (request !== null) child.send(request)
  })
}

async function remember(at: Address, texts: readonly string[]): Promise<void> {
  const query = `mutation ($inputs: [RememberInput!]!) {
    rememberMany(inputs: $inputs) { __typename ... on Remembered { sequence } }
  }`
  for (let from = 0; from < texts.length; from += A_CALL) {
    const inputs = texts.slice(from, from + A_CALL).map((text) => ({ content: { note: { text } } }))
    dataOf(await askGraphQL(at, { query, variables: { inputs } }))
  }
}

async function untilEmbedded(at: Address): Promise<void> {
  const query = '{ projections { lag pendingEmbeddings } }'
  for (;;) {
    const { projections } = dataOf(
      await askGraphQL<{ projections: { lag: number; pendingEmbeddings: number }[] }>(at, { query }),
    )
    if (projections.every((one) => one.lag === 0 && one.pendingEmbeddings === 0)) return
    await pause(200)
  }
}
