import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { ComparedIndexes } from '@daybook/projection/verify/verifiable'
import { createPace, yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import type { LexicalTables, PostingTables } from './lexemes.ts'
import { numberAt, POSTING_BYTES, placeOf, SEGMENT_SIZE, unpack } from './postings.ts'
import { countLexicalStats, insertSegmentPostings, type LexicalStats, wantedPostings } from './write.ts'

/**
 * Compares a project's lexical index with the words of its memories, segment by segment, and the statistics
 * with their sums. Each segment is compared in one statement, and so as of one moment.
 */
export async function compareLexicalIndex(
  scope: ProjectScope,
  tables: LexicalTables,
  signal: AbortSignal,
): Promise<ComparedIndexes> {
  const { problems, memoryIds } = await comparePostings(scope, tables, 'the lexical index', signal)
  return { problems: [...problems, ...(await compareStats(scope, tables))], memoryIds }
}

/**
 * Like `compareLexicalIndex`, for postings without statistics.
 * @param name of the index, for the problems
 */
export async function comparePostings(
  scope: ProjectScope,
  tables: PostingTables,
  name: string,
  signal: AbortSignal,
): Promise<ComparedIndexes> {
  const problems: string[] = []
  const memoryIds: string[] = []
  const pace = createPace()
  const last = await lastSegment(scope, tables)
  for (let segment = 0; segment <= last; segment += 1) {
    signal.throwIfAborted()
    const wrong = await pace.step(1, () => compareSegment(scope, tables, segment), signal)
    if (wrong.length === 0) continue
    problems.push(`segment ${segment} of ${name} has wrong postings for ${wrong.length} memories`)
    memoryIds.push(...wrong.flatMap(({ memory_id }) => memory_id ?? []))
  }
  return { problems, memoryIds }
}

/**
 * Rebuilds the segments that are wrong, and the statistics. @param hold keeps the projector from writing
 * until the transaction ends
 */
export async function repairLexicalIndex(
  scope: ProjectScope,
  tables: LexicalTables,
  hold: (trx: DatabaseTransaction) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  await repairPostings(scope, tables, hold, signal)
  await scope.db.transaction().execute(async (trx) => {
    await hold(trx)
    await recount(trx, tables, scope.projectId)
  })
}

/** Like `repairLexicalIndex`, for postings without statistics. */
export async function repairPostings(
  scope: ProjectScope,
  tables: PostingTables,
  hold: (trx: DatabaseTransaction) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const last = await lastSegment(scope, tables)
  for (let segment = 0; segment <= last; segment += 1) {
    signal.throwIfAborted()
    if ((await compareSegment(scope, tables, segment)).length === 0) continue
    await scope.db.transaction().execute(async (trx) => {
      await hold(trx)
      await rebuildPostings(trx, tables, scope.projectId, [segment])
    })
  }
}

/** Rebuilds segments from the lexemes in the rows of `memories`, and recounts the statistics. */
export async function rebuildSegments(
  trx: DatabaseTransaction,
  tables: LexicalTables,
  projectId: string,
  segments: readonly number[],
): Promise<void> {
  await rebuildPostings(trx, tables, projectId, segments)
  await recount(trx, tables, projectId)
}

/** Rebuilds segments of postings from the lexemes of their memories. */
export async function rebuildPostings(
  trx: DatabaseTransaction,
  tables: PostingTables,
  projectId: string,
  segments: readonly number[],
): Promise<void> {
  for (const segment of segments) {
    await sql`delete from ${tables.postings} where project_id = ${projectId} and segment = ${segment}`.execute(
      trx,
    )
    await insertSegmentPostings(trx, tables, projectId, firstNumber(segment), firstNumber(segment + 1) - 1)
  }
}

const firstNumber = (segment: number) => segment * SEGMENT_SIZE + 1

async function recount(trx: DatabaseTransaction, tables: LexicalTables, projectId: string): Promise<void> {
  const { rows } = await sql<{ next_number: number }>`
    select least(greatest(coalesce(held, 1), least_next), most_next)::int as next_number
    from (${nextNumber(tables, projectId)}) numbers`.execute(trx)
  await countLexicalStats(trx, tables, projectId, rows[0]?.next_number ?? 1)
}

interface NextNumber {
  readonly held: number | null
  readonly least_next: number
  readonly most_next: number
}

/**
 * The number of the next memory, and its permitted range. It must be above all numbers in use, or else two
 * memories would share one and the second could not be written. It must not exceed the number of memories in
 * the journal plus one; parked memories have a number reserved. `held` is null if there are no statistics.
 */
const nextNumber = (tables: LexicalTables, projectId: string) => sql`
  select held, taken + 1 as least_next, greatest(taken, known) + 1 as most_next
  from (select
    (select next_number::bigint from ${tables.lexicalStats} where project_id = ${projectId}) as held,
    (select coalesce(max(number), 0)::bigint from ${tables.memories} where project_id = ${projectId}) as taken,
    (select count(*) from events where project_id = ${projectId} and version = 1) as known) counts`

async function lastSegment({ db, projectId }: ProjectScope, tables: PostingTables): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select greatest(
      coalesce((select (max(m.number) - 1) / ${SEGMENT_SIZE}::int from ${tables.memories} m where project_id = ${projectId}), -1),
      coalesce((select max(segment) from ${tables.postings} where project_id = ${projectId}), -1)) as last`.execute(
    db,
  )
  return rows[0]?.last ?? -1
}

/** A lexeme's postings in a segment: as they should be, and as the index holds them. Null: none. */
interface ComparedLexeme {
  readonly wanted: Buffer | null
  readonly held: Buffer | null
  readonly removed: Buffer | null
}

/**
 * The numbers of memories whose postings differ from their words. `memory_id` is null if the memory does not
 * exist.
 *
 * Postgres leaves out rows that are equal byte by byte. Rows with another order or with removed postings are
 * unpacked here, which takes half the time of doing it in SQL
 * (`docs/measurements.md#comparing-a-segment-of-the-lexical-index`).
 */
async function compareSegment(
  { db, projectId }: ProjectScope,
  tables: PostingTables,
  segment: number,
): Promise<{ number: number; memory_id: string | null }[]> {
  const { rows } = await sql<ComparedLexeme>`
    with wanted as materialized (
      select lexeme, postings from (${wantedPostings(tables, projectId, firstNumber(segment), firstNumber(segment + 1) - 1)}) made
    ), held as materialized (
      select lexeme, entries || recent as postings, removed
      from ${tables.postings} where project_id = ${projectId} and segment = ${segment}
    )
    select wanted.postings as wanted, held.postings as held, held.removed
    from wanted full join held on wanted.lexeme = held.lexeme
    where wanted.postings is distinct from held.postings or held.removed <> ''`.execute(db)
  const numbers = new Set<number>()
  // A whole segment takes about 60 ms, and in the daemon this process also answers requests.
  const turns = yieldToEventLoop()
  for (const row of rows) {
    for (const place of differentPlaces(row)) numbers.add(numberAt(segment, place))
    await turns()
  }
  if (numbers.size === 0) return []
  const found = await sql<{ number: number; memory_id: string | null }>`
    select wrong.number, m.memory_id from unnest(${[...numbers]}::int[]) as wrong(number) left join lateral (
      select w.memory_id from ${tables.memories} w where w.project_id = ${projectId} and w.number = wrong.number offset 0
    ) m on true`.execute(db)
  return found.rows
}

const NOTHING = Buffer.alloc(0)

/** The places in the segment where a lexeme has wrong postings, or one of them twice. */
function differentPlaces({ wanted, held, removed }: ComparedLexeme): number[] {
  const left = unpack(wanted ?? NOTHING, NOTHING).toSorted()
  const right = unpack(held ?? NOTHING, removed ?? NOTHING).toSorted()
  if ((held?.length ?? 0) % POSTING_BYTES > 0) return [...left, ...right].map(placeOf)
  const places: number[] = []
  for (let i = 0, j = 0; i < left.length || j < right.length; ) {
    const [one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [left[i], right[j]]
    if (one !== other) places.push(placeOf(Math.min(one, other)))
    if (one <= other) i += 1
    if (other <= one) j += 1
  }
  return places
}

type CountedStats = Pick<LexicalStats, 'memories' | 'total_length'>

async function compareStats({ db, projectId }: ProjectScope, tables: LexicalTables): Promise<string[]> {
  const { rows } = await sql<{ wanted: CountedStats; held: CountedStats | null }>`
    select jsonb_build_object('memories', count(*) filter (where not forgotten),
        'total_length', coalesce(sum(length) filter (where not forgotten), 0)) as wanted,
      (select jsonb_build_object('memories', memories, 'total_length', total_length)
        from ${tables.lexicalStats} where project_id = ${projectId}) as held
    from ${tables.memories} where project_id = ${projectId}`.execute(db)
  const { wanted, held } = rows[0] ?? { wanted: { memories: 0, total_length: 0 }, held: null }
  const same = wanted.memories === (held?.memories ?? 0) && wanted.total_length === (held?.total_length ?? 0)
  const numbers = await sql<NextNumber>`
    select held, least_next, most_next from (${nextNumber(tables, projectId)}) numbers`.execute(db)
  const { held: next = null, least_next = 1, most_next = 1 } = numbers.rows[0] ?? {}
  // Without statistics, numbering begins at 1.
  const fits = (next ?? 1) >= least_next && (next ?? 1) <= most_next
  return [
    ...(same
      ? []
      : [
          `the word statistics say ${held?.memories ?? 0} memories of ${held?.total_length ?? 0} words, there are ${wanted.memories} of ${wanted.total_length}`,
        ]),
    ...(fits
      ? []
      : [
          `the next memory's number is noted as ${next ?? 'nothing'}, it must be from ${least_next} to ${most_next}`,
        ]),
  ]
}
