import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, type DatabaseAddress, openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { createTokenBitsCache } from '@daybook/search/late-interaction/token-bits-cache'
import { search } from '@daybook/search/search'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { Query } from 'pg'
import { percentile } from '../src/support/percentile.ts'
import { type BenchOptions, printComparison } from './bench.ts'
import { dropVectorIndex } from './corpus-vectors.ts'
import { onNativeDatabase } from './databases.ts'
import { questions } from './generated-texts.ts'
import { buildSearchCorpus, fillProject, noteRequests, type SearchCorpus } from './search-corpus.ts'

/**
 * What other projects cost one: a search of a large project alone, then beside thousands of others, with the plans that changed;
 * and appends to a new project while it grows, before anybody has gathered statistics of it.
 */
export const name = 'projects'
export const description =
  'search in 100,000 memories alone, then beside 5,000 small, 200 middle and 2 large projects, and appends to a new one, on native Postgres (--large: in 10,000, 1,000 and 100 of a million)'

const LARGE = 100_000
/** How many projects there are beside the large one, and how many memories each has. */
const OTHERS = [
  { projects: 5_000, memories: 12 },
  { projects: 200, memories: 500 },
] as const
const MORE_LARGE = 2
/** With 8 copies of the large one, and the others, they are 1, .1 and .01 % of a million memories. */
const SHARES = [10_000, 1_000, 100]
const MORE_FOR_A_MILLION = 8
const QUERIES = 120
const GOAL = 1.2
/** Lengths of a new project's journal at which appends are timed, and how many. */
const LENGTHS = [100, 10_000, 30_000]
const APPENDS = 200
const APPEND_GOAL = 1.5

export async function run({ memories = LARGE, large }: BenchOptions): Promise<void> {
  if (large) return onNativeDatabase(({ address, name: where }) => measureShares(address, where))
  await onNativeDatabase(async ({ address, name: where }) => {
    const corpus = await buildSearchCorpus(address, memories)
    const owner = openDatabase(address, { role: null })
    try {
      const alone = await measure(corpus)
      await addOthers(corpus, owner, MORE_LARGE)
      const beside = await measure(corpus)
      for (const [statement, plan] of beside.plans) {
        const before = alone.plans.get(statement)
        if (before === undefined || shapeOf(before) === shapeOf(plan)) continue
        console.log(`another plan beside other projects: ${statement}\n${plan.join('\n')}\n`)
      }
      const others = OTHERS.map((one) => `${one.projects} of ${one.memories}`).join(', ')
      printComparison({
        title: `${QUERIES} searches of ${memories} memories, ${where}, beside projects (${others}, ${MORE_LARGE} as large), p50`,
        ours: { label: 'beside them', value: `${beside.p50.toFixed(1)} ms` },
        theirs: { label: 'alone', value: `${alone.p50.toFixed(1)} ms` },
        ratio: beside.p50 / alone.p50,
        goal: { atMost: GOAL },
      })
      await measureAppends(corpus.db, where)
    } finally {
      await owner.destroy()
      await corpus.close()
    }
  })
}

/** Small parts of many memories: the index walks past those of others, or all of a project's are compared. */
async function measureShares(address: DatabaseAddress, where: string): Promise<void> {
  const corpus = await buildSearchCorpus(address, LARGE)
  const owner = openDatabase(address, { role: null })
  try {
    const scopes = new Map<number, ProjectScope>()
    for (const memories of SHARES)
      scopes.set(memories, await fillProject(corpus.db, `${memories} of a million`, memories))
    await sql`vacuum (analyze)`.execute(owner)
    const p50Of = async () => {
      const found = new Map<number, number>()
      for (const [memories, scope] of scopes) found.set(memories, (await measure({ ...corpus, scope })).p50)
      return found
    }
    const before = await p50Of()
    await addOthers(corpus, owner, MORE_FOR_A_MILLION)
    const after = await p50Of()
    for (const memories of SHARES)
      printComparison({
        title: `${QUERIES} searches of a project of ${memories} memories, ${where}, p50`,
        ours: { label: 'of a million', value: `${after.get(memories)?.toFixed(1)} ms` },
        theirs: { label: `beside ${LARGE}`, value: `${before.get(memories)?.toFixed(1)} ms` },
        ratio: (after.get(memories) ?? 0) / (before.get(memories) ?? 1),
        goal: { atMost: GOAL },
      })
  } finally {
    await owner.destroy()
    await corpus.close()
  }
}

interface Measured {
  readonly p50: number
  /** The plan of each statement of a search. */
  readonly plans: ReadonlyMap<string, readonly string[]>
}

async function measure({ scope, readModel }: Pick<SearchCorpus, 'scope' | 'readModel'>): Promise<Measured> {
  const embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const tokenBitsCache = createTokenBitsCache()
  const parts = { scope, readModel, embedders: fixedEmbedders([embedder]), tokenBitsCache }
  const ask = (query: string) => search(parts, { query, filter: {}, mode: 'HYBRID', limit: 10, floor: false })
  const queries = questions(QUERIES)
  const statements = new Map<string, unknown[]>()
  const { submit } = Query.prototype
  // pg has no hook that also sees a statement's values.
  Query.prototype.submit = function record(this: { text: string; values?: unknown[] }, connection) {
    if (this.values?.length) statements.set(this.text, this.values)
    return submit.call(this as unknown as Query, connection)
  }
  for (const query of queries.slice(0, 20)) await ask(query)
  Query.prototype.submit = submit
  const times: number[] = []
  for (const query of queries) {
    const started = performance.now()
    await ask(query)
    times.push(performance.now() - started)
  }
  await embedder.close()
  const plans = new Map<string, string[]>()
  for (const [text, values] of statements) {
    if (!/^\s*(?:select|with)/u.test(text)) continue
    const { rows } = await scope.db.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain (analyze, buffers) ${text}`, values),
    )
    plans.set(
      text.replaceAll(/\s+/gu, ' '),
      rows.map((row) => row['QUERY PLAN']),
    )
  }
  return { p50: percentile(times, 0.5), plans }
}

/** The nodes of a plan, without its numbers. */
const shapeOf = (plan: readonly string[]): string =>
  plan.flatMap((line) => (/->|^\S.*\(cost/u.test(line) ? [line.replace(/\s*\(cost.*$/u, '')] : [])).join('\n')

/** Adds projects, each a copy of one of its size with vectors of its own. */
async function addOthers(corpus: SearchCorpus, owner: Database, moreLarge: number): Promise<void> {
  const createIndex = await dropVectorIndex(corpus.db, corpus.readModel)
  for (const { projects, memories } of OTHERS) {
    const first = await fillProject(corpus.db, `first of ${memories}`, memories)
    await copyProject(corpus, owner, first, projects - 1)
  }
  await copyProject(corpus, owner, corpus.scope, moreLarge)
  await createIndex()
  await sql`vacuum (analyze)`.execute(owner)
}

/** Makes so many projects with the rows of one, and vectors of their own. */
export async function copyProject(
  { readModel: { tables, generation } }: Pick<SearchCorpus, 'readModel'>,
  owner: Database,
  { projectId }: ProjectScope,
  times: number,
): Promise<void> {
  await sql`create temporary table copies (id uuid primary key)`.execute(owner)
  await sql`insert into copies select gen_random_uuid() from generate_series(1, ${times})`.execute(owner)
  await sql`insert into daybook.projects (id, name) select id, id::text from copies`.execute(owner)
  const { rows } = await sql<{ schema: string; name: string; columns: string[] }>`
    select relnamespace::regnamespace::text as schema, relname as name, array_agg(attname::text) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped and attgenerated = ''
      and (relnamespace = ${tables.schema}::regnamespace
        or relnamespace = 'daybook'::regnamespace
          and relname in ('journal_heads', 'events', 'positions', 'embeddings', 'embedding_chunks'))
    group by 1, 2 having bool_or(attname = 'project_id')
    -- What refers to another comes after it: embeddings have chunks.
    order by relname::text collate "C" desc`.execute(owner)
  // They depend on the row, or Postgres would make them once.
  const made: Readonly<Record<string, RawBuilder<unknown>>> = {
    'events.event_id': sql`gen_random_uuid()`,
    'vectors.embedding': sql`array(select random() - .5 + one.chunk * 0 from generate_series(1, ${generation.dimension}))::real[]::vector`,
  }
  for (const { schema, name: table, columns } of rows) {
    const others = columns.filter((column) => column !== 'project_id')
    const values = others.map((column) => made[`${table}.${column}`] ?? sql.ref(`one.${column}`))
    await sql`
      insert into ${sql.table(`${schema}.${table}`)} (project_id, ${sql.join(others.map((column) => sql.ref(column)))})
      select copies.id, ${sql.join(values)} from copies, ${sql.table(`${schema}.${table}`)} one
      where one.project_id = ${projectId}`.execute(owner)
  }
  await sql`drop table copies`.execute(owner)
}

/** Appends one event after another, and times those at some lengths. */
async function measureAppends(db: Database, where: string): Promise<void> {
  const scope = projectScope(db, await ensureProject(db, 'growing'))
  const writer = createJournalWriter(() => {})
  const next = noteRequests()
  const p50 = new Map<number, number>()
  let length = 0
  for (const at of LENGTHS) {
    for (; length < at; length += APPENDS)
      await writer.appendMany(scope, Array.from({ length: APPENDS }, next))
    const times: number[] = []
    for (let done = 0; done < APPENDS; done += 1, length += 1) {
      const started = performance.now()
      await writer.appendMany(scope, [next()])
      times.push(performance.now() - started)
    }
    p50.set(at, percentile(times, 0.5))
  }
  const [first, ...later] = LENGTHS
  for (const at of later)
    printComparison({
      title: `appends to a new project after ${at} events, ${where}, p50`,
      ours: { label: `after ${at}`, value: `${p50.get(at)?.toFixed(2)} ms` },
      theirs: { label: `after ${first}`, value: `${p50.get(first ?? 0)?.toFixed(2)} ms` },
      ratio: (p50.get(at) ?? 0) / (p50.get(first ?? 0) ?? 1),
      goal: { atMost: APPEND_GOAL },
    })
}
