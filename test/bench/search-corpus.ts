import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import type { AppendRequest } from '@daybook/journal/append/append-request'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readFollowing } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { newId } from '@daybook/memory/id'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { pgvectorProjection } from '@daybook/pgvector/write/pgvector-projection'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, type DatabaseAddress, openDatabase } from '@daybook/postgres/connect'
import { startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { silentLogger } from '@daybook/runtime/logger'
import { sql } from 'kysely'
import { createRandom } from '../src/support/random.ts'
import { dropVectorIndex, fillWithRandomVectors } from './corpus-vectors.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/** Memories in one project, ready to be searched. */
export interface SearchCorpus {
  readonly db: Database
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly apiKey: string
  close(): Promise<void>
}

/** The labels for filters, and the share of the memories that has each. */
const LABELS: Readonly<Record<string, number>> = { half: 0.5, tenth: 0.1, hundredth: 0.01 }

/** The keys that wrote it, each a tenth. */
export const CORPUS_WRITERS: readonly string[] = Array.from({ length: 10 }, newId)

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
/** The sources that decide what is in the tables. If they have changed, the corpus is built again. */
const BUILDERS = [
  'libs/engines/pgvector/src',
  'libs/lexical-index/src',
  'libs/postgres/src/migrations',
  'libs/memory/src',
  'test/bench',
]
const BATCH = 500

/**
 * Opens the corpus in an embedded database. It is built at first use (minutes) and kept beside the tests'
 * models.
 */
export async function openSearchCorpus(memories: number): Promise<SearchCorpus> {
  const folder = join(testCacheDir(), `search-corpus-${memories}-${sourcesHash()}`)
  if (!existsSync(folder)) await build(folder, memories)
  const embedded = await startEmbeddedDatabase(folder, silentLogger)
  return open(embedded.address, embedded.stop)
}

/** Builds the corpus (minutes) in a temporary database. */
export async function buildSearchCorpus(address: DatabaseAddress, memories: number): Promise<SearchCorpus> {
  await fill(address, memories)
  return open(address, async () => {})
}

async function open(address: DatabaseAddress, onClose: () => Promise<void>): Promise<SearchCorpus> {
  const owner = openDatabase(address, { role: null })
  const projectId = await ensureProject(owner, 'bench')
  const apiKey = await createApiKey(owner, projectId, 'bench').finally(() => owner.destroy())
  const db = openDatabase(address)
  return {
    db,
    scope: projectScope(db, projectId),
    readModel: await liveReadModel(db),
    apiKey,
    async close() {
      await db.destroy()
      await onClose()
    },
  }
}

async function build(folder: string, memories: number): Promise<void> {
  mkdirSync(testCacheDir(), { recursive: true })
  for (const old of readdirSync(testCacheDir()))
    if (old.startsWith(`search-corpus-${memories}-`)) rmSync(join(testCacheDir(), old), { recursive: true })
  const unfinished = `${folder}.building-${process.pid}`
  const embedded = await startEmbeddedDatabase(unfinished, silentLogger)
  try {
    await migrate(embedded.address)
    await fill(embedded.address, memories)
  } finally {
    await embedded.stop()
  }
  renameSync(unfinished, folder)
}

async function fill(address: DatabaseAddress, memories: number): Promise<void> {
  const started = Date.now()
  const progress = (what: string) =>
    process.stderr.write(`  building the corpus: ${what}, ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
  const db = openDatabase(address)
  await ensureLiveGeneration(db, PGVECTOR_LAYOUT, DEFAULT_MODEL)
  const createIndex = await dropVectorIndex(db, await liveReadModel(db))
  await fillProject(db, 'bench', memories, progress)
  await createIndex()
  progress('vectors indexed')
  await db.destroy()
  await likeAfterAWhile(address)
}

/** Fills a new project with memories and random vectors. */
export async function fillProject(
  db: Database,
  name: string,
  memories: number,
  progress: (what: string) => void = () => {},
): Promise<ProjectScope> {
  const scope = projectScope(db, await ensureProject(db, name))
  const readModel = await liveReadModel(db)
  await writeJournal(scope, memories)
  progress(`${memories} memories in the journal`)
  await applyJournal(scope, readModel.generation, (written) => {
    if (written % 10_000 === 0) progress(`${written} written`)
  })
  await fillWithRandomVectors(db, readModel, (done) => {
    if (done % 10_000 === 0) progress(`${done} vectors`)
  })
  return scope
}

/** A server does so by itself within minutes of what was written; the embedded database every few seconds. */
async function likeAfterAWhile(address: DatabaseAddress): Promise<void> {
  const owner = openDatabase(address, { role: null })
  await sql`vacuum (analyze)`.execute(owner).finally(() => owner.destroy())
}

/** Writes what is in the journal to the read model. @param progress is told how many events are written */
export async function applyJournal(
  scope: ProjectScope,
  generation: Generation,
  progress: (written: number) => void = () => {},
): Promise<void> {
  const projection = pgvectorProjection(generation)
  for (let written = 0; ; written += BATCH) {
    const from = await projection.position(scope)
    const events = (await readFollowing(scope, from, BATCH)).map(readable)
    const to = events.at(-1)
    if (to === undefined) return
    await projection.apply(scope, { from, to, events, parked: [], erased: [] })
    progress(written)
  }
}

/** Makes requests to remember one note after the other. */
export function noteRequests(): () => AppendRequest {
  const random = createRandom(50)
  const word = createVocabulary(random)
  return () => ({
    command: {
      type: 'remember',
      id: newId(),
      input: {
        content: { kind: 'note', fields: { text: sentence(random, word, 10, 60) } },
        context: random.chance(0.8) ? `conversation-${random.between(1, 400)}` : null,
        labels: Object.keys(LABELS).filter((label) => random.chance(LABELS[label] ?? 0)),
      },
    },
    metadata: {
      actor: 'bench',
      correlationId: null,
      causationId: null,
      writer: { key: CORPUS_WRITERS[random.between(0, CORPUS_WRITERS.length - 1)] ?? '' },
    },
  })
}

async function writeJournal(scope: ProjectScope, memories: number): Promise<void> {
  const next = noteRequests()
  const writer = createJournalWriter(() => {})
  for (let written = 0; written < memories; written += BATCH) {
    const requests = Array.from({ length: Math.min(BATCH, memories - written) }, next)
    const outcomes = await writer.appendMany(scope, requests)
    for (const outcome of outcomes) if ('error' in outcome) throw outcome.error
  }
}

function sourcesHash(): string {
  const hash = createHash('sha256')
  for (const folder of BUILDERS)
    for (const file of readdirSync(join(REPOSITORY, folder), {
      recursive: true,
      encoding: 'utf8',
    }).toSorted())
      if (file.endsWith('.ts') && !file.endsWith('.test.ts') && isBuilder(folder, file))
        hash.update(file).update(readFileSync(join(REPOSITORY, folder, file)))
  return hash.digest('hex').slice(0, 12)
}

const isBuilder = (folder: string, file: string) =>
  folder !== 'test/bench' || ['search-corpus.ts', 'corpus-vectors.ts', 'generated-texts.ts'].includes(file)
