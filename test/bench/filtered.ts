import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import type { MemoryFilter } from '@daybook/memory/filter'
import { search } from '@daybook/search/search'
import type { SearchParts } from '@daybook/search/search-parts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { onEachDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { buildSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * Searches by meaning with filters that leave more or less of a project, against the embedding of the query,
 * which each of them needs.
 */
export const name = 'filtered'
export const description =
  'filtered semantic search in 50,000 memories on native Postgres, against one embedding of the query'

const MEMORIES = 50_000
const ROUNDS = 1
const QUERIES = 60
/** p50 of a search beside one embedding of a query. */
const GOAL_MS = 50

/** What is left of the memories, in words, and the filter. */
const FILTERS: readonly (readonly [left: string, filter: MemoryFilter])[] = [
  ['everything', {}],
  ['a half (a label)', { labelsAny: ['half'] }],
  ['a tenth (a label)', { labelsAny: ['tenth'] }],
  ['a hundredth (a label)', { labelsAny: ['hundredth'] }],
  ['a five-hundredth (a context)', { context: 'conversation-7' }],
  ['a hundredth of a hundredth (a context and a label)', { context: 'conversation-7', labelsAny: ['tenth'] }],
]

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await onEachDatabase(async ({ address, name: where }) => {
    if (address.maxConnections === 1) return
    const corpus = await buildSearchCorpus(address, MEMORIES)
    await measure(corpus, rounds, `${MEMORIES} memories, ${where}`).finally(() => corpus.close())
  })
}

/** Measures one corpus. */
export async function measure(
  { scope, readModel }: SearchCorpus,
  rounds: number,
  where: string,
): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const parts: SearchParts = { scope, readModel, embedders: fixedEmbedders([embedder]) }
  const queries = questions(QUERIES * (FILTERS.length + 1))
  const embeddings: number[] = []
  const searches = FILTERS.map((): number[] => [])
  const timed = async (times: number[], work: () => Promise<unknown>) => {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  // Each question is new, because the embedder remembers the last ones.
  let next = 0
  const question = (round: number) => `${queries[next++ % queries.length] ?? ''} ${round}`
  for (let round = 0; round < rounds; round += 1)
    for (let asked = 0; asked < QUERIES; asked += 1) {
      await timed(embeddings, () => embedder.embedQuery(question(round), { projectId: scope.projectId }))
      for (const [index, [left, filter]] of FILTERS.entries())
        await timed(searches[index] ?? [], async () => {
          const { hits, degraded } = await search(parts, {
            query: question(round),
            filter,
            mode: 'SEMANTIC',
            limit: 10,
            // Generated questions are about nothing.
            floor: false,
          })
          if (hits.length === 0 || degraded.length > 0)
            throw new Error(`${left}: ${hits.length} hits ${degraded.join(', ')}`)
        })
    }
  await embedder.close()
  for (const [index, [left]] of FILTERS.entries()) {
    const [ours, theirs] = [median(searches[index] ?? []), median(embeddings)]
    printComparison({
      title: `${QUERIES * rounds} semantic searches, ${where}, a filter that leaves ${left}`,
      ours: { label: 'search', value: `p50 ${ours.toFixed(1)} ms` },
      theirs: { label: 'one embedding of a query', value: `p50 ${theirs.toFixed(1)} ms` },
      ratio: ours / theirs,
      goal: { atMost: (theirs + GOAL_MS) / theirs },
    })
  }
}
