import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { leaseTexts, storeVectors } from '@daybook/embeddings/store'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readEnd } from '@daybook/journal/read/read'
import { newId } from '@daybook/memory/id'
import { hasEnded } from '@daybook/operations/operation'
import { readOperation } from '@daybook/operations/read'
import { requestOperation } from '@daybook/operations/request'
import { generationTables } from '@daybook/pgvector/generation-tables'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { buildVectorIndex, PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { pgvectorRebuildableProjection } from '@daybook/pgvector/write/pgvector-projection'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, openDatabase, serverAddress, withClient } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { NoNativeServerError } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import type { NativeServer } from '@daybook/postgres/testing/running-server'
import { createGeneration, ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { NO_FENCE } from '@daybook/projection/rebuild/fence'
import { LOAD_BEGINNING, loadProject } from '@daybook/projection/rebuild/load-project'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { sql } from 'kysely'
import { Client } from 'pg'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison, seconds } from './bench.ts'
import { dropVectorIndex } from './corpus-vectors.ts'
import { createVocabulary, sentence, unitVector } from './generated-texts.ts'
import { copyProject } from './projects.ts'
import { fillProject } from './search-corpus.ts'

/**
 * A rebuild of pgvector with all vectors stored, against `COPY` of the same rows with their indexes built
 * afterwards: the least that Postgres needs for so many rows.
 */
export const name = 'rebuild'
export const description =
  'events a second from the journal to a new generation, against COPY of the same rows; memory; one of 1,000 projects; 5,000 projects against one'

const EVENTS = 20_000
const DIMENSION = 384
const ROUNDS = 3
const GOAL = 0.5
const MANY_PROJECTS = 5_000
const MANY_MEMORIES = 60_000
/** Sizes of the journals for measuring the service's memory. `DAYBOOK_BENCH_EVENTS` sets others. */
const SIZES = (process.env['DAYBOOK_BENCH_EVENTS'] ?? '10000,100000').split(',').map(Number)
const METADATA = { actor: 'bench', correlationId: null, causationId: null }
const BATCH = 500

/** Writes events; one in five is a revision. */
async function writeEvents(scope: ProjectScope, events: number, seed: number): Promise<void> {
  const random = createRandom(seed)
  const word = createVocabulary(createRandom(50))
  const writer = createJournalWriter(() => {})
  let last = ''
  for (let written = 0; written < events; written += BATCH)
    await writer.appendMany(
      scope,
      Array.from({ length: Math.min(BATCH, events - written) }, (_, index) => {
        const content = { kind: 'note' as const, fields: { text: sentence(random, word, 10, 60) } }
        if (index % 5 === 4)
          return {
            command: { type: 'revise' as const, id: last, input: { importance: index % 10 } },
            metadata: METADATA,
          }
        last = newId()
        return { command: { type: 'remember' as const, id: last, input: { content } }, metadata: METADATA }
      }),
    )
}

async function storeRandomVectors(db: Database, modelId: string): Promise<void> {
  const random = createRandom(1)
  for (;;) {
    const texts = await leaseTexts(db, modelId, { limit: BATCH, leaseSeconds: 3_600 })
    if (texts.length === 0) return
    await storeVectors(
      db,
      modelId,
      texts.map((text) => ({
        ...text,
        chunks: [{ start: 0, end: text.text.length, vector: unitVector(random, DIMENSION), tokenBits: null }],
      })),
    )
  }
}

const MODEL = { modelId: `test-hash/${DIMENSION}`, dimension: DIMENSION }

function rebuildableOn(db: Database) {
  const workers = createQueueWorkers({
    db,
    embedders: fixedEmbedders([createHashEmbedder({ dimension: DIMENSION })]),
    logger: silentLogger,
  })
  return pgvectorRebuildableProjection({
    db,
    bus: createInProcessBus(),
    signal: createPositionSignal(),
    logger: silentLogger,
    workers,
    oneConnection: false,
    indexWorkers: 0,
  })
}

/** Loads a new generation and builds its indexes. @returns its number and the seconds that both took */
async function loadOnce(db: Database, scope: ProjectScope, workers = 0) {
  const rebuildable = rebuildableOn(db)
  const generation = await createGeneration(db, PGVECTOR_LAYOUT, MODEL, null)
  const loading = await seconds(async () =>
    loadProject(scope, {
      target: rebuildable.loadTarget(generation, { regenerateBefore: null, fence: NO_FENCE }),
      head: await readEnd(scope),
      from: LOAD_BEGINNING,
      parallel: rebuildable.parallel,
      signal: new AbortController().signal,
      onPage: () => Promise.resolve(),
    }),
  )
  const indexing = await seconds(() => buildVectorIndex(db, generation, workers, NO_FENCE))
  return { generation: generation.generation, loading, indexing }
}

/**
 * Copies a generation's rows with `COPY` into tables without indexes, then builds the indexes.
 * @returns the seconds
 */
async function copyOnce(server: NativeServer, generation: number, folder: string): Promise<number> {
  const client = new Client(server.url)
  await client.connect()
  try {
    const from = generationTables(generation).schema
    const { rows: tables } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = '${from}'`,
    )
    const { rows: indexes } = await client.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where schemaname = '${from}' order by indexname like '%embedding%'`,
    )
    await client.query('drop schema if exists copied cascade; create schema copied')
    for (const { name: table } of tables) {
      await client.query(`copy ${from}.${table} to '${folder}/${table}' (format binary)`)
      await client.query(
        `create table copied.${table} (like ${from}.${table} including storage including generated)`,
      )
    }
    return await seconds(async () => {
      for (const { name: table } of tables)
        await client.query(`copy copied.${table} from '${folder}/${table}' (format binary)`)
      await client.query(`set maintenance_work_mem = '512MB'`)
      for (const { definition } of indexes)
        await client.query(definition.replace(` ON ${from}.`, ' ON copied.'))
    })
  } finally {
    await client.end()
  }
}

/** The parallel workers that Postgres uses by default, and so the side with `COPY`. */
async function parallelWorkers(db: Database): Promise<number> {
  const { rows } = await sql<{ workers: number }>`
    select current_setting('max_parallel_maintenance_workers')::int as workers`.execute(db)
  return rows[0]?.workers ?? 0
}

async function againstCopy(server: NativeServer, rounds: number): Promise<void> {
  const db = openDatabase(serverAddress(server.url))
  const folder = mkdtempSync(join(tmpdir(), 'daybook-copy-'))
  chmodSync(folder, 0o777)
  try {
    await ensureLiveGeneration(db, PGVECTOR_LAYOUT, MODEL)
    const scope = projectScope(db, await ensureProject(db, 'rebuilt'))
    await writeEvents(scope, EVENTS, 1)
    // The first load queues the vectors.
    const first = await loadOnce(db, scope)
    await storeRandomVectors(db, MODEL.modelId)
    await rebuildableOn(db).drop(first.generation)
    const workers = await parallelWorkers(db)
    const theirs: number[] = []
    const sides = [
      {
        workers: 0,
        label: 'rebuild, index of vectors by one core (default)',
        rates: [] as number[],
        parts: [] as string[],
      },
      {
        workers,
        label: `rebuild, DAYBOOK_INDEX_WORKERS=${workers}, as COPY has`,
        rates: [] as number[],
        parts: [] as string[],
      },
    ]
    for (let round = 0; round < rounds; round += 1)
      for (const side of sides) {
        const { generation, loading, indexing } = await loadOnce(db, scope, side.workers)
        side.rates.push(EVENTS / (loading + indexing))
        side.parts.push(`${loading.toFixed(1)} + ${indexing.toFixed(1)} s`)
        if (side === sides.at(-1)) theirs.push(EVENTS / (await copyOnce(server, generation, folder)))
        await rebuildableOn(db).drop(generation)
      }
    for (const { label, rates, parts } of sides)
      printComparison({
        title: `${EVENTS} events of one project, a fifth of them revisions, vectors of ${DIMENSION} numbers, native Postgres, median of ${rounds}`,
        ours: { label, value: `${median(rates).toFixed(0)}/s (${parts.join(', ')})` },
        theirs: { label: 'COPY of its rows + all indexes', value: `${median(theirs).toFixed(0)}/s` },
        ratio: median(rates.map((rate, round) => rate / (theirs[round] ?? Number.NaN))),
        goal: { atLeast: GOAL },
      })
  } finally {
    await db.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a rebuild in a separate service process. @returns its peak memory in MB, and the seconds */
async function peakOfService(server: NativeServer, db: Database): Promise<{ peak: number; spent: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const service = spawn(process.execPath, ['scripts/start.mjs', 'reindex'], {
    env: {
      ...process.env,
      DATABASE_URL: server.url,
      DAYBOOK_EMBEDDER: 'none',
      DAYBOOK_PORT: '0',
      DAYBOOK_DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const { id } = await requestOperation(db, {
      type: 'reindex',
      projection: 'pgvector',
      options: {
        model: null,
        regenerateEmbeddings: false,
        kinds: null,
        projectId: null,
        acceptParked: false,
      },
      requestedBy: 'bench',
    })
    let peak = 0
    let last = await readOperation(db, id)
    const spent = await seconds(async () => {
      while (last !== null && !hasEnded(last)) {
        const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
        peak = Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) / 1024
        await pause(100)
        last = await readOperation(db, id)
      }
    })
    if (last?.status !== 'succeeded') throw new Error(`the rebuild ended as ${last?.status}: ${last?.error}`)
    return { peak, spent }
  } finally {
    service.kill('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Works in a new database of the server. */
async function inDatabase<T>(
  server: NativeServer,
  work: (db: Database, server: NativeServer) => Promise<T>,
): Promise<T> {
  await withClient({ connectionString: server.url }, async (admin) => {
    await admin.query('drop database if exists measured with (force)')
    await admin.query('create database measured')
  })
  const url = server.url.replace(/\/postgres$/u, '/measured')
  await migrate(serverAddress(url))
  const db = openDatabase(serverAddress(url))
  await ensureLiveGeneration(db, PGVECTOR_LAYOUT, MODEL)
  return work(db, { ...server, url }).finally(() => db.destroy())
}

async function memory(server: NativeServer): Promise<void> {
  for (const size of SIZES) {
    const { peak, spent } = await inDatabase(server, async (db, there) => {
      await writeEvents(projectScope(db, await ensureProject(db, 'sized')), size, 2)
      return peakOfService(there, db)
    })
    console.log(
      `  ${String(size).padStart(7)} events: the service took at most ${peak.toFixed(0)} MB; ${(size / spent).toFixed(0)} events/s, loaded, compared and swapped in, without vectors`,
    )
  }
}

/** Rebuilds as many memories, with vectors, in many projects and in one. */
async function manyProjects(server: NativeServer): Promise<void> {
  const measured = async (projects: number, memories: number) => {
    const { peak, spent } = await inDatabase(server, async (db, there) => {
      const owner = openDatabase(serverAddress(there.url), { role: null })
      const readModel = await liveReadModel(db)
      const createIndex = await dropVectorIndex(db, readModel)
      const first = await fillProject(db, 'first', memories)
      if (projects > 1) await copyProject({ readModel }, owner, first, projects - 1)
      await createIndex()
      await sql`vacuum (analyze)`.execute(owner).finally(() => owner.destroy())
      return peakOfService(there, db)
    })
    const rate = MANY_MEMORIES / spent
    return { rate, value: `${rate.toFixed(0)} events/s, at most ${peak.toFixed(0)} MB` }
  }
  const one = await measured(1, MANY_MEMORIES)
  const many = await measured(MANY_PROJECTS, MANY_MEMORIES / MANY_PROJECTS)
  printComparison({
    title: `a rebuild of ${MANY_MEMORIES} memories with vectors of ${DIMENSION} numbers, native Postgres`,
    ours: { label: `in ${MANY_PROJECTS} projects`, value: many.value },
    theirs: { label: 'in one project', value: one.value },
    ratio: many.rate / one.rate,
    goal: { atLeast: GOAL },
  })
}

/** Rewrites one project of a thousand in place. */
async function oneOfMany(server: NativeServer): Promise<void> {
  const db = openDatabase(serverAddress(server.url))
  const many = 1_000
  const live = await ensureLiveGeneration(db, PGVECTOR_LAYOUT, MODEL)
  const rebuildable = rebuildableOn(db)
  const target = rebuildable.loadTarget(live, { regenerateBefore: null, fence: NO_FENCE })
  const load = async (scope: ProjectScope) =>
    loadProject(scope, {
      target,
      head: await readEnd(scope),
      from: LOAD_BEGINNING,
      parallel: 1,
      signal: new AbortController().signal,
      onPage: () => Promise.resolve(),
    })
  for (let index = 0; index < many; index += 1) {
    const scope = projectScope(db, await ensureProject(db, `one-of-many-${index}`))
    await writeEvents(scope, 20, index)
    await load(scope)
  }
  const one = projectScope(db, await ensureProject(db, 'one-of-many-500'))
  const { memories } = generationTables(live.generation)
  const others = async () =>
    (
      await sql<{ rows: string }>`
        select md5(string_agg(ctid::text || xmin::text, ',' order by ctid)) as rows from ${memories}
        where project_id <> ${one.projectId}`.execute(db)
    ).rows[0]?.rows
  const before = await others()
  const ids = await db
    .selectFrom('events')
    .select('memory_id')
    .distinct()
    .where('project_id', '=', one.projectId)
    .execute()
  const spent = await seconds(() =>
    rebuildable.check(live).rewrite(
      one,
      ids.map((row) => row.memory_id),
    ),
  )
  console.log(
    `  one project of ${ids.length} memories among ${many}: rewritten in ${(spent * 1_000).toFixed(0)} ms; rows of the others ${
      before === (await others()) ? 'untouched' : 'TOUCHED'
    }`,
  )
  await db.destroy()
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  let server: NativeServer
  try {
    server = await startNativeServer()
  } catch (error) {
    if (!(error instanceof NoNativeServerError)) throw error
    return console.log(`not measured: ${error.message}`)
  }
  try {
    await migrate(serverAddress(server.url))
    await againstCopy(server, rounds)
    await oneOfMany(server)
    await memory(server)
    await manyProjects(server)
  } finally {
    await server.stop()
  }
}
