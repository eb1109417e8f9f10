import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import { createAuthenticate } from '@daybook/gateway/authenticate'
import { createKeyBudget } from '@daybook/gateway/http/key-budget'
import { createLimitChecks } from '@daybook/gateway/write-checks'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, openDatabase } from '@daybook/postgres/connect'
import { silentLogger } from '@daybook/runtime/logger'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { startCorpusGateway } from './corpus-gateway.ts'
import { onEachDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { buildSearchCorpus, type SearchCorpus } from './search-corpus.ts'

/**
 * What it costs that a request may see one project only: requests as they are, against the same as the owner of
 * the tables, whom row level security does not bind, less what keys and limits take.
 */
export const name = 'security'
export const description =
  'requests with row level security, keys and limits, against none of them, in 10,000 memories on native Postgres'

const MEMORIES = 10_000
const ROUNDS = 6
const REQUESTS = 60
const CHECKS = 20_000
const GOAL = 1.1

/** The operation before each of which another project asks the same over the same connections. */
const ALTERNATING = 'a page of memories, each after another project’s request'

const PAGE = 'query { memories(first: 20) { edges { node { id title labels } } } }'

const OPERATIONS = {
  'search by words':
    'query ($query: String!) { search(query: $query, mode: KEYWORD, floor: false) { hits { score memory { id title } } } }',
  'a page of memories': PAGE,
  [ALTERNATING]: PAGE,
  'the journal’s head': 'query { journal { sequence hash } }',
} as const

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await onEachDatabase(async ({ address, name: where }) => {
    // The embedded database has one session, which cannot be of both.
    if (address.maxConnections === 1) return
    const corpus = await buildSearchCorpus(address, MEMORIES)
    const owner = openDatabase(address, { role: null })
    const access = startAccessTracker(corpus.db, silentLogger)
    const embedders = fixedEmbedders([], DEFAULT_MODEL)
    const gateways = {
      bound: await startCorpusGateway(corpus, embedders, access),
      unbound: await startCorpusGateway({ ...corpus, db: owner }, embedders, access),
    }
    const other = await startCorpusGateway(
      { ...corpus, apiKey: await keyOfNewProject(owner) },
      embedders,
      access,
    )
    const checksMs = await timeChecks(corpus)
    for (const [operation, query] of Object.entries(OPERATIONS)) {
      const times = { bound: [] as number[], unbound: [] as number[] }
      const asked = questions(REQUESTS)
      for (let round = 0; round <= rounds; round += 1)
        for (const text of asked)
          for (const side of round % 2 === 0
            ? (['bound', 'unbound'] as const)
            : (['unbound', 'bound'] as const)) {
            // Its sessions then have to change from one project to the other.
            if (side === 'bound' && operation === ALTERNATING) await other.ask(query, {})
            const started = performance.now()
            await gateways[side].ask(query, query.includes('$query') ? { query: text } : {})
            // The first round fills caches and prepares statements.
            if (round > 0) times[side].push(performance.now() - started)
          }
      const [ours, theirs] = [median(times.bound), median(times.unbound) - checksMs]
      printComparison({
        title: `${REQUESTS * rounds} times ${operation}, over GraphQL, ${MEMORIES} memories, ${where}`,
        ours: { label: 'as it is', value: `p50 ${ours.toFixed(2)} ms` },
        theirs: {
          label: `as the owner, less ${(checksMs * 1_000).toFixed(0)} µs of keys and limits`,
          value: `p50 ${theirs.toFixed(2)} ms`,
        },
        ratio: ours / theirs,
        goal: { atMost: GOAL },
      })
    }
    for (const gateway of [...Object.values(gateways), other]) await gateway.stop()
    await access.stop()
    await owner.destroy()
    await corpus.close()
  })
}

async function keyOfNewProject(owner: Database): Promise<string> {
  return createApiKey(owner, await ensureProject(owner, 'other'), 'other')
}

/** @returns milliseconds that a request's key, its budget and its project's limits take, on average */
async function timeChecks({
  db,
  apiKey,
  scope,
}: Pick<SearchCorpus, 'db' | 'apiKey' | 'scope'>): Promise<number> {
  const authenticate = createAuthenticate(db, { note() {}, stop: () => Promise.resolve() }, 60_000, null)
  const budget = createKeyBudget({ costPerSecond: 1e12, costSaved: 1e12 })
  const limits = createLimitChecks(db)
  const check = async () => {
    const { keyId } = await authenticate({ authorization: `Bearer ${apiKey}`, project: undefined })
    budget.spend(keyId, 50)
    await limits.request(scope.projectId)
  }
  await check()
  const started = performance.now()
  for (let checked = 0; checked < CHECKS; checked += 1) await check()
  return (performance.now() - started) / CHECKS
}
