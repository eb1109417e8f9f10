import { SEGMENT_SIZE } from '@daybook/lexical-index/postings'
import { insertPostings, insertSegmentPostings, saveLexicalStats } from '@daybook/lexical-index/write'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { PGVECTOR_LAYOUT } from '@daybook/pgvector/write/create-generation'
import { ensureProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { sql } from 'kysely'
import { createRandom, type Random } from '../src/support/random.ts'
import { seconds } from './bench.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/** Memories in one project with words only: no journal, no versions, no vectors. */
export interface LexicalCorpus {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  /** The table of the other side: one row per word and memory. */
  readonly plain: ReturnType<typeof sql.table>
  /** The cost of making both indexes. */
  readonly cost: IndexingCost
}

/** Milliseconds and bytes per memory. */
export interface IndexingCost {
  readonly segments: { readonly packed: number; readonly plain: number }
  readonly batches: { readonly packed: number; readonly plain: number }
  readonly bytes: { readonly packed: number; readonly plain: number }
}

/** Memories in a batch, as a projector writes them. */
const BATCH = 100
/** Memories written in batches, to measure that cost. The others are written segment by segment. */
const IN_BATCHES = 4_000

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** A day in words, as the index holds the day of each memory and questions say it. */
export const dayInWords = (random: Random): string => `${random.between(1, 28)} ${random.oneOf(MONTHS)} 2023`

/** Builds the corpus, in both forms, in a migrated database. */
export async function buildLexicalCorpus(db: Database, memories: number): Promise<LexicalCorpus> {
  const scope = projectScope(db, await ensureProject(db, `bench-${memories}`))
  await ensureLiveGeneration(db, PGVECTOR_LAYOUT, { modelId: 'bench', dimension: 8 })
  const readModel = await liveReadModel(db)
  const plain = sql.table(`${readModel.tables.schema}.plain_postings`)
  await makePlainTable(db, readModel, plain)

  const bySegment = memories - (memories > IN_BATCHES ? IN_BATCHES : 0)
  const random = createRandom(50)
  const word = createVocabulary(random)
  const text = () => `${sentence(random, word, 10, 60)}\n${dayInWords(random)}`
  const times = { segments: { packed: 0, plain: 0 }, batches: { packed: 0, plain: 0 } }
  const stats = { memories: 0, total_length: 0, next_number: 1 }
  for (let first = 1; first <= bySegment; first += SEGMENT_SIZE) {
    const last = Math.min(first + SEGMENT_SIZE - 1, bySegment)
    await insertMemories(scope, readModel, first, last, text)
    times.segments.packed += await inTransaction(db, async (trx) => {
      const page = await insertSegmentPostings(trx, readModel.tables, scope.projectId, first, last)
      stats.memories += page.memories
      stats.total_length += page.totalLength
    })
    times.segments.plain += await inTransaction(db, (trx) =>
      insertPlain(trx, scope, readModel, plain, first, last),
    )
  }
  const segmentBytes = await bytesOf(db, readModel)
  for (let first = bySegment + 1; first <= memories; first += BATCH) {
    const ids = await insertMemories(scope, readModel, first, first + BATCH - 1, text)
    times.batches.packed += await inTransaction(db, async (trx) => {
      stats.total_length += await insertPostings(trx, readModel.tables, scope.projectId, ids)
      stats.memories += ids.length
    })
    times.batches.plain += await inTransaction(db, (trx) =>
      insertPlain(trx, scope, readModel, plain, first, first + BATCH - 1),
    )
  }
  stats.next_number = memories + 1
  await db.transaction().execute((trx) => saveLexicalStats(trx, readModel.tables, scope.projectId, stats))
  const each = (spent: { packed: number; plain: number }, count: number) => ({
    packed: (spent.packed * 1_000) / count,
    plain: (spent.plain * 1_000) / count,
  })
  return {
    scope,
    readModel,
    plain,
    cost: {
      segments: each(times.segments, bySegment),
      batches: each(times.batches, memories - bySegment),
      bytes: { packed: segmentBytes.packed / bySegment, plain: segmentBytes.plain / bySegment },
    },
  }
}

const inTransaction = (db: Database, work: Parameters<ReturnType<Database['transaction']>['execute']>[0]) =>
  seconds(() => db.transaction().execute(work))

async function makePlainTable(
  db: Database,
  { tables }: LiveReadModel,
  plain: LexicalCorpus['plain'],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local role none`.execute(trx)
    await sql`drop table if exists ${plain}`.execute(trx)
    await sql`
      create table ${plain} (
        project_id uuid not null,
        lexeme text not null,
        number integer not null,
        frequency smallint not null,
        length integer not null,
        primary key (project_id, lexeme, number) include (frequency, length)
      )`.execute(trx)
    await sql`grant all on ${plain} to daybook_app`.execute(trx)
    await sql`truncate ${tables.postings}, ${tables.memories}, ${tables.lexicalStats}`.execute(trx)
  })
}

async function insertMemories(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
  first: number,
  last: number,
  text: () => string,
): Promise<string[]> {
  const texts = Array.from({ length: last - first + 1 }, text)
  const { rows } = await sql<{ memory_id: string }>`
    insert into ${tables.memories} (project_id, memory_id, number, kind, version, sequence, first_sequence, state, labels,
      categories, importance, created_at, forgotten, lexemes, length, content_hash)
    select ${projectId}, gen_random_uuid(), number, 'note', 1, number, number, jsonb_build_object('text', text), '{}', '{}', 5,
      now(), false, lexemes, (select sum(cardinality(positions)) from unnest(lexemes)), ''
    from (
      select place + ${first - 1}::int as number, text, to_tsvector('english', text) as lexemes
      from unnest(${texts}::text[]) with ordinality as given(text, place) offset 0
    ) analysed
    returning memory_id`.execute(db)
  return rows.map((row) => row.memory_id)
}

async function insertPlain(
  trx: Parameters<typeof insertPostings>[0],
  { projectId }: ProjectScope,
  { tables }: LiveReadModel,
  plain: LexicalCorpus['plain'],
  first: number,
  last: number,
): Promise<void> {
  await sql`
    insert into ${plain} (project_id, lexeme, number, frequency, length)
    select ${projectId}, lexeme, number, cardinality(positions), length
    from ${tables.memories} m, unnest(m.lexemes)
    where m.project_id = ${projectId} and m.number between ${first} and ${last} order by lexeme`.execute(trx)
}

async function bytesOf(db: Database, { tables }: LiveReadModel): Promise<{ packed: number; plain: number }> {
  const size = (table: unknown) => sql`pg_total_relation_size(${table}::regclass)`
  const { rows } = await sql<{ packed: number; plain: number }>`
    select ${size(`${tables.schema}.postings`)} as packed, ${size(`${tables.schema}.plain_postings`)} as plain`.execute(
    db,
  )
  return rows[0] ?? { packed: 0, plain: 0 }
}
