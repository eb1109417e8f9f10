import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { startGateway } from '@daybook/gateway/start'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { createPositionSignal } from '@daybook/projection/positions/position-signal'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics } from '@daybook/runtime/metrics'
import { checkQuery } from '@daybook/search/check-request'
import { queryVector } from '@daybook/search/query-vector'
import { DEFAULT_RANKING } from '@daybook/search/ranking/options'
import { hitCondition } from '@daybook/search/retrievers/postgres/constraint'
import { lexicalRetriever } from '@daybook/search/retrievers/postgres/lexical-retriever'
import { vectorRetriever } from '@daybook/search/retrievers/postgres/vector-retriever'
import type { RetrieverInput } from '@daybook/search/retrievers/retriever-input'
import { search } from '@daybook/search/search'
import type { SearchParts } from '@daybook/search/search-parts'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { askGraphQL, dataOf } from '../src/support/graphql.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, printComparison, quantile } from './bench.ts'
import { onEachDatabase } from './databases.ts'
import { createVocabulary, sentence } from './generated-texts.ts'
import { buildSearchCorpus, openSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * What a search costs beyond its minimum: the two retrievers and the query's embedding, one after the other.
 * The rest is neighbours, ranking, reading the memories, snippets, and GraphQL.
 */
export const name = 'search'
export const description =
  'search in 50,000 memories, and over GraphQL, against its two bare retrievers and the embedding of the query (--large: in 100,000, on native Postgres)'

const MEMORIES = 50_000
const LARGE = 100_000
const QUERIES = 120
const ROUNDS = 1
const GOAL = 1.5

const QUERY = `query ($query: String!) {
  search(query: $query) {
    sequence degraded
    hits { score snippet matchType memory { id kind title text createdAt } explanation { score retrievers { retriever rank } } }
  }
}`

/**
 * Runs the minimum of a search.
 * @throws if a retriever is missing, because the sides would not be comparable
 */
async function bare(parts: SearchParts, text: string): Promise<void> {
  const query = checkQuery('query', text)
  const condition = hitCondition({}, query)
  const limit = DEFAULT_RANKING.candidatesPerRetriever
  const input: RetrieverInput = { ...parts, condition, includeForgotten: false, limit }
  await lexicalRetriever(input, query.wanted, true)
  const found = await queryVector(parts.embedders, parts.readModel.generation, {
    projectId: parts.scope.projectId,
    text: query.wanted,
  })
  if ('missing' in found) throw new Error(found.missing)
  await vectorRetriever(input, found.vector)
}

async function whole(parts: SearchParts, query: string): Promise<void> {
  const { degraded } = await search(parts, { query, filter: {}, mode: 'HYBRID', limit: 10 })
  if (degraded.length > 0) throw new Error(degraded.join(', '))
}

export async function run({ rounds = ROUNDS, large }: BenchOptions): Promise<void> {
  if (!large)
    return measure(await openSearchCorpus(MEMORIES), rounds, `${MEMORIES} memories, embedded PGlite`)
  await onEachDatabase(async ({ name: where, address }) => {
    if (address.maxConnections > 1)
      await measure(await buildSearchCorpus(address, LARGE), rounds, `${LARGE} memories, ${where}`)
  })
}

async function measure(corpus: SearchCorpus, rounds: number, where: string): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const embedders = fixedEmbedders([embedder])
  const access = startAccessTracker(corpus.db, silentLogger)
  const gateway = await startGateway(
    {
      db: corpus.db,
      writer: createJournalWriter(() => {}),
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      embedders,
      access,
      engines: [],
      logger: silentLogger,
      config: readConfig({}),
      metrics: createMetrics({ service: 'gateway' }),
    },
    { host: '127.0.0.1', port: 0 },
  )
  const parts: SearchParts = { scope: corpus.scope, readModel: corpus.readModel, embedders }
  const at = { url: gateway.url, apiKey: corpus.apiKey }
  const sides = {
    bare: (text: string) => bare(parts, text),
    search: (text: string) => whole(parts, text),
    graphql: async (query: string) => {
      dataOf(await askGraphQL(at, { query: QUERY, variables: { query } }))
    },
  }
  const times = { bare: [] as number[], search: [] as number[], graphql: [] as number[] }
  type Side = keyof typeof sides
  const order = Object.keys(sides) as Side[]

  // Other sentences from the corpus's vocabulary. A query needs more than stop words.
  const word = createVocabulary(createRandom(50))
  const random = createRandom(51)
  const queries = Array.from({ length: QUERIES }, () => `${sentence(random, word, 3, 11)} notebook`)
  for (const query of queries.slice(0, 10)) for (const side of order) await sides[side](query)
  for (let round = 0; round < rounds; round += 1)
    for (const query of queries) {
      for (const side of order) {
        const started = performance.now()
        await sides[side](query)
        times[side].push(performance.now() - started)
      }
      // The second side finds the first one's pages in memory, so each side comes first in turn.
      order.push(order.shift() as Side)
    }
  await gateway.stop()
  await access.stop()
  await embedder.close()
  await corpus.close()

  const show = (side: Side) =>
    `p50 ${quantile(times[side], 0.5).toFixed(1)} ms   p95 ${quantile(times[side], 0.95).toFixed(1)} ms`
  const count = `${QUERIES * rounds} queries of 4 to 12 words, ${where}`
  for (const [side, label] of [
    ['search', 'search()'],
    ['graphql', 'search over GraphQL'],
  ] as const)
    for (const share of [0.5, 0.95])
      printComparison({
        title: `${count}, p${share * 100}`,
        ours: { label, value: show(side) },
        theirs: { label: 'both retrievers and the embedding, bare', value: show('bare') },
        ratio: quantile(times[side], share) / quantile(times.bare, share),
        goal: { atMost: GOAL },
      })
}
