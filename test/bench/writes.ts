import { createTestDaemon, type TestDaemon } from '../src/support/daemon.ts'
import { dataOf } from '../src/support/graphql.ts'
import { percentile } from '../src/support/percentile.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, fromClients, median, printComparison, seconds } from './bench.ts'
import { untilProjected } from './fill-daemon.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/** What an agent's write costs through the API of a whole daemon on embedded parts, which projects and embeds meanwhile. */
export const name = 'writes'
export const description =
  'writes over GraphQL to a daemon on embedded parts, from 16 clients and from one, with MiniLM and without, against the empty request'

const CLIENTS = 16
const WRITES = 2_000
const ALONE = 300
const ROUNDS = 3
/** Of the empty request's rate. */
const GOAL = 0.9
/** Of the rate without an embedder. */
const EMBEDDED_GOAL = 0.75
const EMBEDDERS = ['none', 'minilm'] as const

const REMEMBER =
  'mutation ($input: RememberInput!) { remember(input: $input) { ... on Remembered { memory { id } } } }'

interface Side {
  /** A second, from all clients. */
  readonly writes: number[]
  readonly empty: number[]
  /** Milliseconds of each write of one client. */
  readonly alone: number[]
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  const texts = textsOf(1)
  const sides = { none: newSide(), minilm: newSide() }
  const daemons = { none: createTestDaemon(), minilm: createTestDaemon() }
  for (const embedder of EMBEDDERS) await daemons[embedder].start({ embedder })
  try {
    for (let round = 0; round <= rounds; round += 1)
      for (const embedder of EMBEDDERS) {
        const measured = await measure(daemons[embedder], embedder, texts)
        // The first round compiles and fills caches.
        if (round === 0) continue
        for (const key of ['writes', 'empty', 'alone'] as const) sides[embedder][key].push(...measured[key])
      }
  } finally {
    for (const daemon of Object.values(daemons)) await daemon.remove()
  }
  const { none, minilm } = sides
  printComparison({
    title: `${WRITES} writes of ${CLIENTS} clients, without an embedder`,
    ours: { label: 'remember', value: `${median(none.writes).toFixed(0)}/s` },
    theirs: { label: '{ __typename }', value: `${median(none.empty).toFixed(0)}/s` },
    ratio: median(none.writes) / median(none.empty),
    goal: { atLeast: GOAL },
  })
  printComparison({
    title: `${WRITES} writes of ${CLIENTS} clients, which are embedded meanwhile`,
    ours: { label: 'with MiniLM', value: `${median(minilm.writes).toFixed(0)}/s` },
    theirs: { label: 'without', value: `${median(none.writes).toFixed(0)}/s` },
    ratio: median(minilm.writes) / median(none.writes),
    goal: { atLeast: EMBEDDED_GOAL },
  })
  for (const embedder of EMBEDDERS) {
    const { alone } = sides[embedder]
    const [p50, p95] = [0.5, 0.95].map((share) => percentile(alone, share).toFixed(1))
    console.log(`one client, embedder ${embedder}: p50 ${p50} ms, p95 ${p95} ms`)
  }
}

const newSide = (): Side => ({ writes: [], empty: [], alone: [] })

function textsOf(seed: number): () => string {
  const random = createRandom(seed)
  const word = createVocabulary(random, 5_000)
  return () => sentence(random, word, 8, 24)
}

async function measure(daemon: TestDaemon, embedder: string, text: () => string): Promise<Side> {
  const remember = async () => {
    const variables = { input: { content: { note: { text: text() } } } }
    return dataOf(await daemon.graphql({ query: REMEMBER, variables }))
  }
  const ask = async () => dataOf(await daemon.graphql({ query: '{ __typename }' }))
  const alone: number[] = []
  for (let sent = 0; sent < ALONE; sent += 1) alone.push((await seconds(remember)) * 1_000)
  const rateOf = async (send: () => Promise<unknown>) =>
    WRITES /
    (await seconds(() =>
      fromClients(
        CLIENTS,
        Array.from({ length: WRITES }, () => true),
        send,
      ),
    ))
  const empty = await rateOf(ask)
  const writes = await rateOf(remember)
  await untilProjected(daemon, embedder !== 'none')
  return { writes: [writes], empty: [empty], alone }
}
