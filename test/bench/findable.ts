import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import pg from 'pg'
import { createServiceProcess } from '../src/chaos/service-process.ts'
import { askGraphQL, dataOf } from '../src/support/graphql.ts'
import { percentile } from '../src/support/percentile.ts'
import { createRandom, type Random } from '../src/support/random.ts'
import { seconds } from './bench.ts'

/**
 * Measures the time from a write's acknowledgement until a search that starts then finds it, by words and by
 * meaning, while 50 memories a second are written. Gateway, projector, Postgres and NATS are separate
 * processes. Only some writes are watched, each by one row a millisecond: a search every few milliseconds
 * would slow down what is measured. A search then confirms that it finds the memory.
 */
export const name = 'findable'
export const description = 'write to findable by words and by meaning at 50 writes/s, against one embedding'

const WRITES_A_SECOND = 50
const SECONDS = 20
const WATCH_EVERY = 10
/** Milliseconds between two looks for a memory's row. */
const LOOK_MS = 1

interface Api {
  readonly url: string
  readonly apiKey: string
}

async function remember(api: Api, text: string): Promise<string> {
  const query = `mutation ($text: String!) {
    remember(input: { content: { note: { text: $text } } }) { ... on Remembered { memory { id } } }
  }`
  const data = dataOf(
    await askGraphQL<{ remember: { memory: { id: string } }[] | { memory: { id: string } } }>(api, {
      query,
      variables: { text },
    }),
  )
  const result = Array.isArray(data.remember) ? data.remember[0] : data.remember
  return result?.memory.id ?? ''
}

/** Words that are one token each for the model, as in people's short notes. Made-up words would be four. */
const WORDS =
  'token cache index harbour orchard invoice deploy review tests schema retry window lantern river station compass winter bread piano garden letter'.split(
    ' ',
  )

const someWords = (random: Random): string =>
  Array.from({ length: random.between(6, 20) }, () => random.oneOf(WORDS)).join(' ')

/** Throws if a search in this mode does not have the memory among its first hits. */
async function confirm(api: Api, mode: string, text: string, id: string): Promise<void> {
  const query = `query ($text: String!) { search(query: $text, mode: ${mode}, limit: 5, floor: false) { hits { memory { id } } } }`
  const { search } = dataOf(
    await askGraphQL<{ search: { hits: { memory: { id: string } }[] } }>(api, { query, variables: { text } }),
  )
  if (!search.hits.some((hit) => hit.memory.id === id))
    throw new Error(`a ${mode} search does not find ${id}, which is in the index`)
}

/** Which table of the live generation has a row of a memory that is found by words, or by meaning. */
const TABLES = { KEYWORD: 'memories', SEMANTIC: 'vectors' }

/** Milliseconds until the memory's row is committed: a search that starts then finds it. */
async function untilFound(
  { api, client }: { api: Api; client: pg.Client },
  mode: keyof typeof TABLES,
  text: string,
  id: string,
): Promise<number> {
  const started = performance.now()
  // The API's ids are of kind and UUID.
  const memoryId = id.slice(-36)
  const look = {
    name: mode,
    text: `select from pgvector_1.${TABLES[mode]} where memory_id = $1`,
    values: [memoryId],
  }
  while ((await client.query(look)).rowCount === 0) await pause(LOOK_MS)
  const found = performance.now() - started
  await confirm(api, mode, text, id)
  return found
}

/** Milliseconds to embed one short text on an idle embedder. */
async function oneEmbedding(text: string): Promise<number> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir(), onProgress: () => {} })
  try {
    const times: number[] = []
    for (let count = 0; count < 30; count += 1)
      times.push((await seconds(() => embedder.embedQuery(`${text} ${count}`))) * 1000)
    return percentile(times, 0.5)
  } finally {
    await embedder.close()
  }
}

async function measure(parts: {
  api: Api
  client: pg.Client
}): Promise<{ words: number[]; meaning: number[] }> {
  const random = createRandom(1)
  const words: number[] = []
  const meaning: number[] = []
  const watched: Promise<unknown>[] = []
  const watch = async (written: Promise<string>, count: number, text: string): Promise<void> => {
    const id = await written
    if (count % (2 * WATCH_EVERY) === 0) words.push(await untilFound(parts, 'KEYWORD', `mark${count}`, id))
    else meaning.push(await untilFound(parts, 'SEMANTIC', text, id))
  }
  const started = performance.now()
  for (let count = 0; count < WRITES_A_SECOND * SECONDS; count += 1) {
    const text = `${someWords(random)} mark${count}`
    const written = remember(parts.api, text)
    if (count % WATCH_EVERY === 0) watched.push(watch(written, count, text))
    watched.push(written)
    await pause(Math.max(0, ((count + 1) * 1000) / WRITES_A_SECOND - (performance.now() - started)))
  }
  await Promise.all(watched)
  return { words, meaning }
}

export async function run(): Promise<void> {
  if (OWN_NATS.problem !== null || OWN_POSTGRES.problem !== null)
    return console.log('not measured: there is no native Postgres or NATS here, run infra/debian/install')
  const alone = await oneEmbedding('What was decided about the harbour and the orchard in the third review')
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const [postgres, nats] = await Promise.all([startNativeServer(), startNativeNats()])
  const environment = { DATABASE_URL: postgres.url, NATS_URL: nats.url, LOG_LEVEL: 'warn' }
  const services = (['gateway', 'projector-pgvector'] as const).map((service) =>
    createServiceProcess({ name: service, service, folder, environment }),
  )
  const client = new pg.Client(postgres.url)
  try {
    await Promise.all(services.map((service) => service.start()))
    const url = services[0]?.url() ?? ''
    const api = { url, apiKey: readFileSync(join(folder, 'gateway', 'api-key'), 'utf8').trim() }
    await client.connect()
    await untilFound({ api, client }, 'SEMANTIC', 'warm up', await remember(api, 'warm up'))
    const { words, meaning } = await measure({ api, client })
    const show = (values: number[]) =>
      `p50 ${percentile(values, 0.5).toFixed(1)} ms   p90 ${percentile(values, 0.9).toFixed(1)} ms   p99 ${percentile(values, 0.99).toFixed(1)} ms   (${values.length} watched)`
    console.log(`  findable by words      ${show(words)}`)
    console.log(`  findable by meaning    ${show(meaning)}`)
    console.log(`  one embedding alone    p50 ${alone.toFixed(1)} ms`)
    console.log(`  by meaning, the p50 is ${(percentile(meaning, 0.5) / alone).toFixed(1)} embeddings`)
  } finally {
    await client.end()
    await Promise.all(services.map((service) => service.stop()))
    await Promise.all([postgres.stop(), nats.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}
