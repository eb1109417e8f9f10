import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { silentLogger } from '@daybook/runtime/logger'
import { createTokenBitsCache } from '@daybook/search/late-interaction/token-bits-cache'
import { askQuestion } from '@daybook/search/question'
import { DEFAULT_RANKING, type RankingOptions } from '@daybook/search/ranking/options'
import { hitCondition } from '@daybook/search/retrievers/postgres/constraint'
import { lexicalRetriever } from '@daybook/search/retrievers/postgres/lexical-retriever'
import { vectorRetriever } from '@daybook/search/retrievers/postgres/vector-retriever'
import type { RetrieverInput } from '@daybook/search/retrievers/query-terms'
import { search } from '@daybook/search/search'
import type { SearchParts } from '@daybook/search/search-parts'
import { percentile } from '../src/support/percentile.ts'
import { type BenchOptions, printComparison } from './bench.ts'
import { startCorpusGateway } from './corpus-gateway.ts'
import { onEachDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { measureClients } from './search-clients.ts'
import { buildSearchCorpus, openSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * What a search costs beyond its minimum: the two retrievers and the query's embedding, one after the other.
 * The rest is neighbours, ranking, reading the memories, snippets, and GraphQL.
 */
export const name = 'search'
export const description =
  'search in 10,000 and 50,000 memories, and over GraphQL, against its two bare retrievers and the embedding of the query (--large: in 100,000, on native Postgres)'

/** By size, the most milliseconds of p50 over GraphQL; null: as few as can be. */
const EMBEDDED: readonly (readonly [memories: number, goalMs: number | null])[] = [
  [10_000, 50],
  [50_000, null],
]
const LARGE = 100_000
const LARGE_GOAL_MS = 30
/** What comparing tokens may add to p50, in milliseconds. */
const RERANK_GOAL_MS = 10
const QUERIES = 120
const ROUNDS = 1
/** Questions for the comparison of clients. */
const OF_CLIENTS = 400
const GOAL = 1.5

const QUERY = `query ($query: String!) {
  search(query: $query, floor: false) {
    sequence degraded
    hits { score snippet matchType memory { id kind title text createdAt } explanation { score retrievers { retriever rank } } }
  }
}`

/**
 * Runs the minimum of a search.
 * @throws if a retriever is missing, because the sides would not be comparable
 */
async function bare(parts: SearchParts, text: string): Promise<void> {
  const question = askQuestion(parts, { query: text, mode: 'HYBRID' })
  const { query } = question
  const condition = hitCondition(parts.readModel.tables, {}, query)
  const limit = DEFAULT_RANKING.candidatesPerRetriever
  const input: RetrieverInput = { ...parts, condition, includeForgotten: false, limit }
  await lexicalRetriever(input, query.wanted, true)
  const found = await question.queryVector(parts.readModel.generation)
  if (found === null || 'missing' in found) throw new Error(found?.missing)
  await vectorRetriever(input, found.vector)
}

async function whole(
  parts: SearchParts,
  query: string,
  ranking: Partial<RankingOptions> = {},
): Promise<void> {
  const { degraded } = await search(parts, {
    query,
    filter: {},
    mode: 'HYBRID',
    limit: 10,
    floor: false,
    ranking,
  })
  if (degraded.length > 0) throw new Error(degraded.join(', '))
}

export async function run({ rounds = ROUNDS, large }: BenchOptions): Promise<void> {
  if (!large) {
    for (const [memories, goalMs] of EMBEDDED)
      await measure(await openSearchCorpus(memories), rounds, `${memories} memories, embedded PGlite`, goalMs)
    return
  }
  await onEachDatabase(async ({ name: where, address }) => {
    if (address.maxConnections > 1)
      await measure(
        await buildSearchCorpus(address, LARGE),
        rounds,
        `${LARGE} memories, ${where}`,
        LARGE_GOAL_MS,
      )
  })
}

/** Measures one corpus and closes it. @param goalMs for p50 over GraphQL; null: none */
export async function measure(
  corpus: SearchCorpus,
  rounds: number,
  where: string,
  goalMs: number | null,
): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const embedders = fixedEmbedders([embedder])
  const access = startAccessTracker(corpus.db, silentLogger)
  const gateway = await startCorpusGateway(corpus, embedders, access)
  // As a gateway has one.
  const tokenBitsCache = createTokenBitsCache()
  const parts: SearchParts = { scope: corpus.scope, readModel: corpus.readModel, embedders, tokenBitsCache }
  const sides = {
    bare: (text: string) => bare(parts, text),
    withoutTokens: (text: string) => whole(parts, text, { lateInteraction: false }),
    search: (text: string) => whole(parts, text),
    graphql: (query: string) => gateway.ask(QUERY, { query }),
  }
  const times = {
    bare: [] as number[],
    withoutTokens: [] as number[],
    search: [] as number[],
    graphql: [] as number[],
  }
  type Side = keyof typeof sides
  const order = Object.keys(sides) as Side[]

  const queries = questions(QUERIES)
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
  await measureClients(sides.graphql, questions(QUERIES + OF_CLIENTS).slice(QUERIES), where)
  await gateway.stop()
  await access.stop()
  await embedder.close()
  await corpus.close()

  const show = (side: Side) =>
    `p50 ${percentile(times[side], 0.5).toFixed(1)} ms   p95 ${percentile(times[side], 0.95).toFixed(1)} ms`
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
        ratio: percentile(times[side], share) / percentile(times.bare, share),
        goal: { atMost: GOAL },
      })

  const p50 = (side: Side) => percentile(times[side], 0.5)
  printComparison({
    title: `${count}, comparing tokens`,
    ours: { label: 'search()', value: show('search') },
    theirs: { label: 'search() that ranks without tokens', value: show('withoutTokens') },
    ratio: p50('search') / p50('withoutTokens'),
    goal: { atMost: (p50('withoutTokens') + RERANK_GOAL_MS) / p50('withoutTokens') },
  })
  console.log(
    `  it adds ${(p50('search') - p50('withoutTokens')).toFixed(1)} ms, goal at most ${RERANK_GOAL_MS} ms`,
  )
  if (goalMs !== null)
    console.log(`  p50 over GraphQL ${p50('graphql').toFixed(1)} ms, goal at most ${goalMs} ms`)
}
