import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { newId } from '@daybook/memory/id'
import { readWithheld, type Withheld } from '@daybook/pgvector/read/access'
import { search } from '@daybook/search/search'
import type { SearchParts } from '@daybook/search/search-parts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { onEachDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { buildSearchCorpus, CORPUS_WRITERS, type SearchCorpus } from './search-corpus.ts'

/** What writers in quarantine cost a search without a filter. Nobody in quarantine is the statement without the condition. */
export const name = 'quarantine'
export const description =
  'hybrid search in 10,000 memories while writers are in quarantine, against the same while nobody is'

const MEMORIES = 10_000
const QUERIES = 120
const ROUNDS = 1

const unknown = (count: number): string[] => Array.from({ length: count }, newId)

/** Who is in quarantine, in words, and the most that it may cost: more where much of what is found is withheld. */
const SIDES: readonly (readonly [who: string, withheld: Withheld, goal: number])[] = [
  ['nobody', { keys: [], agents: [] }, 1],
  ['a key that wrote nothing', { keys: unknown(1), agents: [] }, 1.1],
  ['20 keys that wrote nothing', { keys: unknown(20), agents: [] }, 1.1],
  ['a key that wrote a tenth', { keys: CORPUS_WRITERS.slice(0, 1), agents: [] }, 1.2],
  ['keys that wrote nine tenths', { keys: CORPUS_WRITERS.slice(1), agents: [] }, 2],
  ['an agent', { keys: [], agents: ['planner'] }, 1.5],
]

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await onEachDatabase(async ({ address, name: where }) => {
    const corpus = await buildSearchCorpus(address, MEMORIES)
    await measure(corpus, rounds, `${MEMORIES} memories, ${where}`).finally(() => corpus.close())
  })
}

async function measure({ scope, readModel }: SearchCorpus, rounds: number, where: string): Promise<void> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const partsOf = (withheld: Withheld): SearchParts => ({
    scope,
    readModel: { ...readModel, tables: { ...readModel.tables, withheld } },
    embedders: fixedEmbedders([embedder]),
  })
  const times = SIDES.map((): number[] => [])
  const lookUps: number[] = []
  for (let round = 0; round < rounds; round += 1)
    for (const [index, query] of questions(QUERIES).entries()) {
      // The embedder remembers it, so that only the database is compared.
      await embedder.embedQuery(query, { projectId: scope.projectId })
      for (let turn = 0; turn < SIDES.length; turn += 1) {
        const at = (turn + index) % SIDES.length
        const [who, withheld] = SIDES[at] ?? ['', { keys: [], agents: [] }]
        const started = performance.now()
        const { hits } = await search(partsOf(withheld), {
          query,
          filter: {},
          mode: 'HYBRID',
          limit: 10,
          floor: false,
        })
        times[at]?.push(performance.now() - started)
        if (hits.length === 0) throw new Error(`${who}: nothing was found`)
      }
      const started = performance.now()
      await readWithheld(scope.db)
      lookUps.push(performance.now() - started)
    }
  await embedder.close()
  const nobody = median(times[0] ?? [])
  console.log(`looking up who is in quarantine, ${where}: p50 ${median(lookUps).toFixed(2)} ms a request`)
  for (const [index, [who, , goal]] of SIDES.entries()) {
    const ours = median(times[index] ?? [])
    printComparison({
      title: `${QUERIES * rounds} searches, ${where}`,
      ours: { label: `in quarantine: ${who}`, value: `p50 ${ours.toFixed(2)} ms` },
      theirs: { label: 'nobody', value: `p50 ${nobody.toFixed(2)} ms` },
      ratio: ours / nobody,
      goal: { atMost: goal },
    })
  }
}
