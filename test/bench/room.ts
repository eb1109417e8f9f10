import { DEFAULT_MODEL } from '@daybook/embeddings/models'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { newId } from '@daybook/memory/id'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, type DatabaseAddress, openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { sql } from 'kysely'
import { createRandom } from '../src/support/random.ts'
import type { BenchOptions } from './bench.ts'
import { fillWithRandomVectors } from './corpus-vectors.ts'
import { onNativeDatabase } from './databases.ts'
import { createVocabulary, sentence } from './generated-texts.ts'
import { applyJournal, CORPUS_WRITERS } from './search-corpus.ts'

/**
 * Measures the bytes of a whole database for each memory: the journal, the read model and the embedding store with token
 * bits. It is filled as a server is: batch by batch, with the vector index in place, and vacuumed as it grows.
 */
export const name = 'room'
export const description = 'bytes a memory of a whole native database, by table'

/** Bytes a memory. */
const GOAL = 8_000
const MEMORIES = 20_000
const MEMORIES_LARGE = 100_000
/** Memories written, and embedded, at a time. */
const BATCH = 50
/** Autovacuum comes when a fifth of a table has changed. */
const VACUUM_AFTER_GROWTH = 1.2
const FIRST_VACUUM = 1_000
const LABELS = ['conversation', 'project', 'home', 'travel', 'health', 'work']
const SPEAKERS = ['Caroline', 'Melanie', 'Daniel', 'Priya']

export async function run({ large, memories: wanted }: BenchOptions): Promise<void> {
  const memories = wanted ?? (large ? MEMORIES_LARGE : MEMORIES)
  await onNativeDatabase(async ({ name: database, address }) => {
    const owner = openDatabase(address, { role: null })
    try {
      const before = await bytesOfDatabase(owner)
      await fill(owner, address, memories)
      const relations = await readRelations(owner)
      console.log(`${memories} memories on ${database}\n`)
      printRelations(relations, memories)
      const growth = ((await bytesOfDatabase(owner)) - before) / memories
      const bytes = relations.reduce((sum, relation) => sum + relation.bytes, 0) / memories
      console.log(
        `\n  the database's files, without those of an empty one: ${growth.toFixed(0)} bytes a memory`,
      )
      console.log(
        `  ${bytes.toFixed(0)} bytes a memory, goal at most ${GOAL}: ${bytes <= GOAL ? 'met' : 'NOT MET'}`,
      )
    } finally {
      await owner.destroy()
    }
  })
}

async function fill(owner: Database, address: DatabaseAddress, memories: number): Promise<void> {
  const db = openDatabase(address)
  try {
    const scope = projectScope(db, await ensureProject(db, 'bench'))
    const generation = await ensureLiveGeneration(db, PGVECTOR_LAYOUT, DEFAULT_MODEL)
    const readModel = await liveReadModel(db)
    const turns = conversation()
    const directions = createRandom(384)
    const started = Date.now()
    for (let written = 0, nextVacuum = FIRST_VACUUM; written < memories; written += BATCH) {
      await write(scope, turns)
      await applyJournal(scope, generation)
      await fillWithRandomVectors(db, readModel, () => {}, directions)
      if (written + BATCH < nextVacuum) continue
      await sql`vacuum (analyze)`.execute(owner)
      process.stderr.write(
        `  ${written + BATCH} memories, ${((Date.now() - started) / 1_000).toFixed(0)} s\n`,
      )
      nextVacuum *= VACUUM_AFTER_GROWTH
    }
    await sql`vacuum (analyze)`.execute(owner)
  } finally {
    await db.destroy()
  }
}

/** Turns of conversations: 26 words each on average, which are 34 tokens. */
function conversation() {
  const random = createRandom(34)
  const word = createVocabulary(random)
  const start = Date.UTC(2026, 0, 1)
  let turn = 0
  return () => {
    turn += 1
    return {
      content: {
        kind: 'note' as const,
        fields: { text: `${random.oneOf(SPEAKERS)}: ${sentence(random, word, 9, 41)}` },
      },
      context: `conversation-${Math.floor(turn / 50)}`,
      labels: LABELS.filter(() => random.chance(0.2)),
      occurredAt: new Date(start + turn * 60_000).toISOString(),
    }
  }
}

/** Writes a batch as a gateway does for an agent: with a key of its own, so that it may be sent again. */
async function write(scope: ProjectScope, turns: ReturnType<typeof conversation>): Promise<void> {
  const writer = createJournalWriter(() => {})
  const outcomes = await writer.appendMany(
    scope,
    Array.from({ length: BATCH }, () => ({
      command: { type: 'remember' as const, id: newId(), input: turns() },
      idempotencyKey: crypto.randomUUID(),
      metadata: {
        actor: 'agent',
        correlationId: crypto.randomUUID(),
        causationId: null,
        writer: { key: CORPUS_WRITERS[0] ?? '' },
      },
    })),
  )
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error
}

/** A table or an index of ours. */
interface Relation {
  readonly table: string
  /** Null for the table's rows, `out of line` for long values, else the index's name with its columns. */
  readonly part: string | null
  readonly bytes: number
}

/** All that Daybook keeps: rows, values out of line with their index, and each index. */
async function readRelations(owner: Database): Promise<Relation[]> {
  const { rows } = await sql<Relation>`
    with tables as (
      select c.oid, c.reltoastrelid, n.nspname || '.' || c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and (n.nspname = 'daybook' or n.nspname like 'pgvector\\_%')
    )
    select name as table, null as part, pg_table_size(oid) - coalesce(pg_total_relation_size(nullif(reltoastrelid, 0)), 0) as bytes
    from tables
    union all
    select name, 'out of line', pg_total_relation_size(reltoastrelid) from tables where reltoastrelid <> 0
    union all
    select name, regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', ''), pg_relation_size(i.indexrelid)
    from tables join pg_index i on i.indrelid = tables.oid`.execute(owner)
  return rows
}

/** Tables with less than this share are printed as one. */
const SHOWN = 0.005

/** Prints each table with its parts. */
function printRelations(relations: readonly Relation[], memories: number): void {
  const total = relations.reduce((sum, { bytes }) => sum + bytes, 0)
  const line = (what: string, bytes: number) =>
    console.log(
      `  ${(bytes / memories).toFixed(0).padStart(6)}  ${((bytes / total) * 100).toFixed(1).padStart(5)} %  ${what}`,
    )
  const sums = [...new Set(relations.map(({ table }) => table))].map((table) => {
    const parts = relations.filter((relation) => relation.table === table)
    return { table, parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) }
  })
  const shown = sums.filter(({ bytes }) => bytes >= total * SHOWN)
  for (const { table, parts, bytes } of shown.toSorted((a, b) => b.bytes - a.bytes)) {
    line(table, bytes)
    for (const { part, bytes: of } of parts.toSorted((a, b) => b.bytes - a.bytes))
      if (of > 0) line(`    ${part ?? 'rows'}`, of)
  }
  const rest = sums.filter(({ bytes }) => bytes < total * SHOWN)
  line(
    `${rest.length} other tables`,
    rest.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  line('together', total)
}

async function bytesOfDatabase(owner: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::bigint as bytes`.execute(owner)
  return rows[0]?.bytes ?? 0
}
