import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { type AccessTracker, startAccessTracker } from '@daybook/pgvector/read/access'
import { silentLogger } from '@daybook/runtime/logger'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { startCorpusGateway } from './corpus-gateway.ts'
import { questions } from './generated-texts.ts'
import { openSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/** What it costs a search that its hits are counted as read. */
export const name = 'access'
export const description =
  'searches over GraphQL that count their hits as read, against searches that do not, in 10,000 memories'

const MEMORIES = 10_000
const ROUNDS = 4
const QUERIES = 60
const GOAL = 1.05

const QUERY = `query ($query: String!) { search(query: $query, floor: false) { hits { score memory { id title } } } }`
const UNCOUNTED: AccessTracker = { touch() {}, stop: () => Promise.resolve() }

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  const corpus = await openSearchCorpus(MEMORIES)
  await measure(corpus, rounds, `${MEMORIES} memories, embedded PGlite`).finally(() => corpus.close())
}

/** Measures one corpus. */
export async function measure(corpus: SearchCorpus, rounds: number, where: string): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const embedders = fixedEmbedders([embedder])
  const access = startAccessTracker(corpus.db, silentLogger)
  const gateways = {
    counted: await startCorpusGateway(corpus, embedders, access),
    uncounted: await startCorpusGateway(corpus, embedders, UNCOUNTED),
  }
  const times = { counted: [] as number[], uncounted: [] as number[] }
  const queries = questions(QUERIES)
  for (const query of queries)
    for (const side of ['counted', 'uncounted'] as const) await gateways[side].ask(QUERY, { query })
  for (let round = 0; round < rounds; round += 1)
    // Each side comes first in turn, because the second finds the pages in memory.
    for (const query of queries)
      for (const side of round % 2 === 0
        ? (['counted', 'uncounted'] as const)
        : (['uncounted', 'counted'] as const)) {
        const started = performance.now()
        await gateways[side].ask(QUERY, { query })
        times[side].push(performance.now() - started)
      }
  for (const gateway of Object.values(gateways)) await gateway.stop()
  await access.stop()
  await embedder.close()
  const show = (values: readonly number[]) => `p50 ${median(values).toFixed(2)} ms`
  printComparison({
    title: `${QUERIES * rounds} searches over GraphQL, ${where}`,
    ours: { label: 'hits are counted as read', value: show(times.counted) },
    theirs: { label: 'nothing is counted', value: show(times.uncounted) },
    ratio: median(times.counted) / median(times.uncounted),
    goal: { atMost: GOAL },
  })
}
