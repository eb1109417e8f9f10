import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import { startGateway } from '@daybook/gateway/start'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readFollowing } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { newId } from '@daybook/memory/id'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { filterCondition } from '@daybook/pgvector/read/filter'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { readFacets } from '@daybook/pgvector/read/read-facets'
import { PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { pgvectorProjection } from '@daybook/pgvector/write/pgvector-projection'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics } from '@daybook/runtime/metrics'
import { homesAs } from '@daybook/sync/follower/home-client'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { askGraphQL, dataOf } from '../src/support/graphql.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison } from './bench.ts'
import { type BenchDatabase, onEachDatabase } from './databases.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/**
 * What facets cost beyond their SQL: one plain count for each of the six facets, as anybody would write them. Ours is
 * GraphQL over HTTP, with the counts of what is not listed.
 */
export const name = 'facets'
export const description =
  'facets over GraphQL in a project of 100,000 memories (20,000 labels, 400 contexts), against six plain counts in SQL'

const MEMORIES = 100_000
const BATCH = 500
const ROUNDS = 7
const GOAL = 2

const QUERY = `{ facets {
  memories labels { value count } kinds { value count } categories { value count } entityTypes { value count }
  agents { value count } contexts { value count } others { facet values count }
} }`

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  await onEachDatabase((database) => measure(database, rounds))
}

async function measure({ address, name: where }: BenchDatabase, rounds: number): Promise<void> {
  const owner = openDatabase(address, { role: null })
  const projectId = await ensureProject(owner, 'bench')
  const apiKey = await createApiKey(owner, projectId, 'bench').finally(() => owner.destroy())
  const db = openDatabase(address)
  const scope = projectScope(db, projectId)
  await fill(scope)
  const readModel = await liveReadModel(db)
  await sql`analyze ${readModel.tables.memories}`.execute(db).catch(() => {})
  const access = startAccessTracker(db, silentLogger)
  const gateway = await startGateway(
    {
      db,
      homeOf: homesAs('a benchmark'),
      writer: createJournalWriter(() => {}),
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      embedders: fixedEmbedders([], DEFAULT_MODEL),
      access,
      engines: [],
      logger: silentLogger,
      config: readConfig({}),
      metrics: createMetrics({ service: 'gateway' }),
    },
    { host: '127.0.0.1', port: 0 },
  )
  const sides = {
    graphql: async () => {
      const { facets } = dataOf(
        await askGraphQL<{ facets: { memories: number } }>({ url: gateway.url, apiKey }, { query: QUERY }),
      )
      if (facets.memories !== MEMORIES) throw new Error(`counted ${facets.memories} of ${MEMORIES}`)
    },
    statement: () => readFacets(scope, readModel.tables, { filter: {}, most: 50 }),
    bare: () => plainCounts(scope, readModel),
  }
  const times: Record<keyof typeof sides, number[]> = { graphql: [], statement: [], bare: [] }
  for (let round = -1; round < rounds; round += 1)
    for (const side of Object.keys(sides) as (keyof typeof sides)[]) {
      const started = performance.now()
      await sides[side]()
      // The first round warms the caches.
      if (round >= 0) times[side].push(performance.now() - started)
    }
  await gateway.stop()
  await access.stop()
  await db.destroy()
  const show = (side: keyof typeof sides) => `median ${median(times[side]).toFixed(0)} ms`
  for (const [theirs, label] of [
    ['bare', 'six plain counts in SQL'],
    ['statement', 'its own statement'],
  ] as const)
    printComparison({
      title: `facets of ${MEMORIES} memories, ${where}`,
      ours: { label: 'facets over GraphQL', value: show('graphql') },
      theirs: { label, value: show(theirs) },
      ratio: median(times.graphql) / median(times[theirs]),
      goal: { atMost: GOAL },
    })
}

/** Each facet counted by itself, with the filter that leaves out expired and forgotten memories. */
async function plainCounts({ db, projectId }: ProjectScope, { tables }: LiveReadModel): Promise<void> {
  const from = sql`from ${tables.memories} m`
  const where = sql`where m.project_id = ${projectId} and ${filterCondition(tables, {})}`
  for (const statement of [
    sql`select value, count(*) ${from}, unnest(m.labels) as value ${where} group by value order by 2 desc limit 50`,
    sql`select m.kind, count(*) ${from} ${where} group by m.kind`,
    sql`select value, count(*) ${from}, unnest(m.categories) as value ${where} group by value order by 2 desc limit 50`,
    sql`select m.state->'content'->>'type', count(*) ${from} ${where} and m.kind = 'entity' group by 1 order by 2 desc limit 50`,
    sql`select m.agent, count(*) ${from} ${where} and m.agent is not null group by m.agent order by 2 desc limit 50`,
    sql`select m.context, count(*) ${from} ${where} and m.context is not null group by m.context order by 2 desc limit 50`,
  ])
    await statement.execute(db)
}

async function fill(scope: ProjectScope): Promise<void> {
  const started = Date.now()
  const generation = await ensureLiveGeneration(scope.db, PGVECTOR_LAYOUT, DEFAULT_MODEL)
  const projection = pgvectorProjection(generation)
  const random = createRandom(24)
  const word = createVocabulary(random)
  const writer = createJournalWriter(() => {})
  for (let written = 0; written < MEMORIES; written += BATCH) {
    const requests = Array.from({ length: BATCH }, () => ({
      command: {
        type: 'remember' as const,
        id: newId(),
        input: {
          content: random.chance(0.1)
            ? { kind: 'entity' as const, fields: { name: word(), type: `type ${random.between(1, 30)}` } }
            : { kind: 'note' as const, fields: { text: sentence(random, word, 10, 60) } },
          context: random.chance(0.8) ? `conversation-${random.between(1, 400)}` : null,
          agent: `agent-${random.between(1, 9)}`,
          labels: Array.from({ length: random.between(0, 3) }, () => `label-${random.between(1, 20_000)}`),
          categories: random.chance(0.3) ? ['event'] : [],
        },
      },
      metadata: { actor: 'bench', correlationId: null, causationId: null },
    }))
    for (const outcome of await writer.appendMany(scope, requests))
      if ('error' in outcome) throw outcome.error
    const from = await projection.position(scope)
    const events = (await readFollowing(scope, from, BATCH)).map(readable)
    await projection.apply(scope, { from, to: events.at(-1) ?? from, events, parked: [], erased: [] })
    if (written % 20_000 === 0)
      process.stderr.write(`  ${written} memories, ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
  }
}
