import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { JournalDiverged } from '../chain/check-chain.ts'
import { readHash } from '../chain/read-chain.ts'
import { EVENT_COLUMNS, type JournalRecord, type LinkedRecord, linked, toRecord } from './stored-event.ts'

/**
 * A project's journal after `after` (exclusive), in sequence order, at most `limit` places. If there is no
 * event at `after`, the first one's `previousHash` is empty.
 */
export async function readJournal(
  { db, projectId }: ProjectScope,
  { after, limit }: { after: number; limit: number },
): Promise<LinkedRecord[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .select((eb) =>
      eb
        .selectFrom('events as before')
        .select('before.hash')
        .where('before.project_id', '=', projectId)
        .where('before.sequence', '=', after)
        .as('hash_before'),
    )
    .where('project_id', '=', projectId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  let previousHash = after === 0 ? CHAIN_START : (rows[0]?.hash_before?.toString('hex') ?? '')
  return rows.map((row) => {
    const record = linked(toRecord(row), previousHash)
    previousHash = record.hash
    return record
  })
}

/**
 * What follows a place in the journal, at most `limit` places.
 * @throws JournalDiverged if the journal has no event with that hash there
 */
export async function readFollowing(
  scope: ProjectScope,
  place: JournalCursor,
  limit: number,
): Promise<LinkedRecord[]> {
  const records = await readJournal(scope, { after: place.sequence, limit })
  const hash = records[0]?.previousHash ?? (await readHash(scope, place.sequence))
  if (hash !== place.hash) throw new JournalDiverged(place)
  return records
}

/** The end of a project's journal. */
export async function readEnd({ db, projectId }: ProjectScope): Promise<JournalCursor> {
  const row = await db
    .selectFrom('journal_heads')
    .select(['sequence', 'hash'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return { sequence: row?.sequence ?? 0, hash: row?.hash.toString('hex') ?? CHAIN_START }
}

/** A journal's end, and what its last event says of it. */
interface CheckedEnd extends JournalCursor {
  /** Whether the journal has the event that its end names. True for an empty journal. */
  readonly isSound: boolean
  /**
   * Whether the journal is a copy that follows its home: then its end may be replaced at any time, where it is a branch
   * (`@daybook/sync`).
   */
  readonly isCopy: boolean
}

interface CheckedEndRow {
  readonly sequence: number
  readonly hash: string
  readonly is_sound: boolean
  readonly is_copy: boolean
}

/** Reads both in one statement, so that an end that is just being replaced does not look like a damaged one. */
export async function readCheckedEnd({ db, projectId }: ProjectScope): Promise<CheckedEnd> {
  const { rows } = await sql<CheckedEndRow>`
    select h.sequence, encode(h.hash, 'hex') as hash, h.followed as is_copy, h.sequence = 0 or exists (
      select from events e where e.project_id = h.project_id and e.sequence = h.sequence and e.hash = h.hash) as is_sound
    from journal_heads h where h.project_id = ${projectId}`.execute(db)
  const [row] = rows
  if (row === undefined) return { sequence: 0, hash: CHAIN_START, isSound: true, isCopy: false }
  return { sequence: row.sequence, hash: row.hash, isSound: row.is_sound, isCopy: row.is_copy }
}

/** One memory's events after `afterVersion`, oldest first, at most `limit`. */
export async function readMemoryEvents(
  { db, projectId }: ProjectScope,
  memoryId: string,
  { afterVersion = 0, limit }: { afterVersion?: number; limit: number },
): Promise<JournalRecord[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where('memory_id', '=', memoryId)
    .where('version', '>', afterVersion)
    .orderBy('version')
    .limit(limit)
    .execute()
  return rows.map(toRecord)
}

/**
 * Some versions of a memory, and the newest.
 * @returns the records by version, and the newest version's number; null if there is no such memory
 */
export async function readMemoryVersions(
  { db, projectId }: ProjectScope,
  memoryId: string,
  versions: readonly number[],
): Promise<{ newest: number | null; records: ReadonlyMap<number, JournalRecord> }> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where('memory_id', '=', memoryId)
    .where((eb) =>
      eb.or([
        sql<SqlBool>`version = any(${versions}::int[])`,
        eb(
          'version',
          '=',
          eb
            .selectFrom('events as newest')
            .select((of) => of.fn.max('newest.version').as('version'))
            .where('newest.project_id', '=', projectId)
            .where('newest.memory_id', '=', memoryId),
        ),
      ]),
    )
    .orderBy('version')
    .execute()
  return {
    newest: rows.at(-1)?.version ?? null,
    records: new Map(rows.map((row) => [row.version, toRecord(row)])),
  }
}

/** The last sequence of a project's journal; 0 if it is empty. */
export async function readHead(scope: ProjectScope): Promise<number> {
  return (await readEnd(scope)).sequence
}

/** The ends of these projects' journals; projects without one are left out. */
export async function readHeads(
  db: Database,
  projectIds: readonly string[],
): Promise<Map<string, JournalCursor>> {
  const rows = await db
    .selectFrom('journal_heads')
    .select(['project_id', 'sequence', 'hash'])
    .where(sql<SqlBool>`project_id = any(${projectIds}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ project_id, sequence, hash }) => [project_id, { sequence, hash: hash.toString('hex') }]),
  )
}

/** The memories that have events after `after` and up to `upTo`, each once. */
export async function readChangedMemories(
  { db, projectId }: ProjectScope,
  { after, upTo }: { after: number; upTo: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('memory_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .execute()
  return rows.map((row) => row.memory_id)
}

/** The number of events in all projects, from one row per project. */
export async function countEvents(db: Database): Promise<number> {
  const row = await db
    .selectFrom('journal_heads')
    .select((eb) => eb.fn.sum<number | null>('sequence').as('events'))
    .executeTakeFirstOrThrow()
  return Number(row.events ?? 0)
}

/**
 * The last event of a project's journal that had been recorded at a moment; 0 before the first one, and the
 * journal's end for the future.
 *
 * Looks for it by halves, 20 lookups for a million events, because no index has the times: they grow with the
 * sequence. Where the database's clock was once set back, some moments occur twice; then it is one of the two.
 *
 * @param moment RFC 3339
 */
export async function sequenceAt({ db, projectId }: ProjectScope, moment: string): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    with recursive halves (low, high) as (
      select 0::bigint, coalesce((select sequence from journal_heads where project_id = ${projectId}), 0)
      union all
      select case when was then middle else low end, case when was then high else middle - 1 end
      from (select low, high, (low + high + 1) / 2 as middle from halves where low < high) half cross join lateral (
        select recorded_at <= ${moment}::timestamptz as was from events
        where project_id = ${projectId} and sequence = half.middle offset 0
      ) looked
    )
    select low as sequence from halves where low = high`.execute(db)
  return rows[0]?.sequence ?? 0
}
