import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations'
import { holdPosition } from '@daybook/projection/positions'
import type { ComparedIndexes } from '@daybook/projection/verify/checkable'
import { createPace } from '@daybook/runtime/pace'
import { type RawBuilder, sql } from 'kysely'
import { type GenerationTables, generationTables, PGVECTOR } from './generation-tables.ts'
import { LENGTH_MAX, SEGMENT_SIZE } from './packed-postings.ts'
import { countLexicalStats, insertSegmentPostings, type LexicalStats } from './post-lexical.ts'

/**
 * Holds the lexical index of a project against the words of its memories, segment by segment, and the statistics against
 * their sums. Each segment is one statement and so one moment.
 */
export async function compareLexicalIndex(
  scope: ProjectScope,
  generation: Generation,
  signal: AbortSignal,
): Promise<ComparedIndexes> {
  const tables = generationTables(generation.generation)
  const problems: string[] = []
  const memoryIds: string[] = []
  const pace = createPace()
  const last = await lastSegment(scope, tables)
  for (let segment = 0; segment <= last; segment += 1) {
    signal.throwIfAborted()
    const wrong = await pace.step(1, () => compareSegment(scope, tables, segment), signal)
    if (wrong.length === 0) continue
    problems.push(`segment ${segment} of the lexical index has other words for ${wrong.length} memories`)
    memoryIds.push(...wrong.flatMap(({ memory_id }) => memory_id ?? []))
  }
  problems.push(...(await compareStats(scope, tables)))
  return { problems, memoryIds }
}

/** Makes the segments anew that are wrong, and the statistics. */
export async function repairLexicalIndex(
  scope: ProjectScope,
  generation: Generation,
  signal: AbortSignal,
): Promise<void> {
  const tables = generationTables(generation.generation)
  const place = { name: PGVECTOR, generation: generation.generation }
  const last = await lastSegment(scope, tables)
  for (let segment = 0; segment <= last; segment += 1) {
    signal.throwIfAborted()
    if ((await compareSegment(scope, tables, segment)).length === 0) continue
    await scope.db.transaction().execute(async (trx) => {
      await holdPosition(trx, place, scope.projectId)
      await rebuildSegments(trx, tables, scope.projectId, [segment])
    })
  }
  await scope.db.transaction().execute(async (trx) => {
    await holdPosition(trx, place, scope.projectId)
    await recount(trx, tables, scope.projectId)
  })
}

/** Makes segments anew from the words that the rows of `memories` hold, and counts the statistics. */
export async function rebuildSegments(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  segments: readonly number[],
): Promise<void> {
  for (const segment of segments) {
    await sql`delete from ${tables.postings} where project_id = ${projectId} and segment = ${segment}`.execute(
      trx,
    )
    await insertSegmentPostings(trx, tables, projectId, firstNumber(segment), firstNumber(segment + 1) - 1)
  }
  await recount(trx, tables, projectId)
}

const firstNumber = (segment: number) => segment * SEGMENT_SIZE + 1

async function recount(trx: DatabaseTransaction, tables: GenerationTables, projectId: string): Promise<void> {
  const { rows } = await sql<{ next_number: number }>`
    select greatest(
      coalesce((select next_number from ${tables.lexicalStats} where project_id = ${projectId}), 1),
      coalesce((select max(number) + 1 from ${tables.memories} where project_id = ${projectId}), 1)) as next_number`.execute(
    trx,
  )
  await countLexicalStats(trx, tables, projectId, rows[0]?.next_number ?? 1)
}

async function lastSegment({ db, projectId }: ProjectScope, tables: GenerationTables): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select greatest(
      coalesce((select (max(number) - 1) / ${SEGMENT_SIZE}::int from ${tables.memories} where project_id = ${projectId}), -1),
      coalesce((select max(segment) from ${tables.postings} where project_id = ${projectId}), -1)) as last`.execute(
    db,
  )
  return rows[0]?.last ?? -1
}

/** The numbers whose postings are not those of their memories' words; `memory_id` is null where there is no such memory. */
async function compareSegment(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  segment: number,
): Promise<{ number: number; memory_id: string | null }[]> {
  const { rows } = await sql<{ number: number; memory_id: string | null }>`
    with wanted as materialized (
      select u.lexeme, m.number, cardinality(u.positions) as frequency, least(m.length, ${LENGTH_MAX}::int) as length
      from ${tables.memories} m, unnest(m.lexemes) u
      where m.project_id = ${projectId} and not m.forgotten
        and m.number between ${firstNumber(segment)}::int and ${firstNumber(segment + 1) - 1}::int
    ), packed as materialized (
      select lexeme, octet_length(entries) as sealed, entries || recent as postings, removed
      from ${tables.postings} where project_id = ${projectId} and segment = ${segment}
    ), posted as materialized (
      select lexeme, ${firstNumber(segment)}::int + (posting >> 20)::int as number, (posting >> 12 & 255)::int as frequency,
        (posting & 4095)::int as length
      from packed cross join lateral (${wordsIn(sql`postings`)}) each
      where at >= sealed or posting >> 20 <> all(array(select posting >> 20 from (${wordsIn(sql`removed`)}) gone))
    ), different as (
      (select * from wanted except all select * from posted) union all (select * from posted except all select * from wanted)
    )
    select number, m.memory_id from (select distinct number from different) wrong
    left join lateral (
      select memory_id from ${tables.memories} where project_id = ${projectId} and number = wrong.number offset 0
    ) m on true`.execute(db)
  return rows
}

/** Each 32 bits of a string, with the byte at which they begin. */
const wordsIn = (bytes: RawBuilder<unknown>) => sql`
  select at, ('x' || encode(substr(${bytes}, at + 1, 4), 'hex'))::bit(32)::bigint as posting
  from generate_series(0, octet_length(${bytes}) - 1, 4) at`

async function compareStats({ db, projectId }: ProjectScope, tables: GenerationTables): Promise<string[]> {
  const { rows } = await sql<{ wanted: LexicalStats; held: LexicalStats | null }>`
    select jsonb_build_object('memories', count(*) filter (where not forgotten),
        'total_length', coalesce(sum(length) filter (where not forgotten), 0)) as wanted,
      (select jsonb_build_object('memories', memories, 'total_length', total_length)
        from ${tables.lexicalStats} where project_id = ${projectId}) as held
    from ${tables.memories} where project_id = ${projectId}`.execute(db)
  const { wanted, held } = rows[0] ?? { wanted: { memories: 0, total_length: 0 }, held: null }
  const same = wanted.memories === (held?.memories ?? 0) && wanted.total_length === (held?.total_length ?? 0)
  return same
    ? []
    : [
        `the word statistics say ${held?.memories ?? 0} memories of ${held?.total_length ?? 0} words, there are ${wanted.memories} of ${wanted.total_length}`,
      ]
}
