import { contentHash } from '@daybook/memory/content'
import type { MemoryFilter } from '@daybook/memory/filter'
import type { MemoryIdRange } from '@daybook/memory/id'
import type { KindName } from '@daybook/memory/kinds/index'
import { embeddedTextOf, type Memory, type MemoryState } from '@daybook/memory/state'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { type GenerationTables, wholeState } from '../generation-tables.ts'
import { NOTHING_WITHHELD } from './access.ts'
import { filterCondition } from './filter.ts'
import type { ReadTables } from './live-read-model.ts'
import { memoriesAsOf } from './past-memories.ts'

/** The columns that a memory is read from. */
export interface MemoryColumns {
  readonly state: MemoryState
  readonly version: number
  readonly sequence: number
  readonly first_sequence: number
}

/** A memory in a list, with the cursor at which the next page begins. */
export interface ListedMemory extends Memory {
  readonly firstSequence: number
}

/** Converts a row to a memory. */
export const toMemory = (row: MemoryColumns): ListedMemory => ({
  state: row.state,
  version: row.version,
  sequence: row.sequence,
  firstSequence: row.first_sequence,
})

/** Memories by id (plain UUIDs), forgotten ones included. Unknown ids are left out. */
export async function readMemories(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<Map<string, Memory>> {
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.state.id, toMemory(row)]))
}

/** The memories whose ids are in the range, in the order of their ids; forgotten ones too, but not those in quarantine. */
export async function readIdRange(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { kind, first, last }: MemoryIdRange,
  limit: number,
): Promise<Memory[]> {
  const filter = { includeForgotten: true, ...(kind !== null && { kinds: [kind] }) }
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id between ${first}::uuid and ${last}::uuid
      and ${filterCondition(tables, filter)}
    order by m.memory_id limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** Those of these memories (plain UUIDs) whose text has no vector yet. */
export async function withoutVectors(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ readonly memory_id: string }>`
    select memory_id from ${tables.waiting} where project_id = ${projectId} and memory_id = any(${ids}::uuid[])`.execute(
    db,
  )
  return new Set(rows.map(({ memory_id }) => memory_id))
}

/**
 * The first 50 characters of the notes among these memories, by id. They show who speaks without reading the
 * whole text.
 */
export async function readNoteBeginnings(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ memory_id: string; beginning: string }>`
    select m.memory_id, left(m.state->'content'->>'text', 50) as beginning from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[]) and m.kind = 'note'`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row.beginning]))
}

/** Kind and time of memories in a text that is the same where both are; of one without a time, its kind alone. */
export async function readOccurrences(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ memory_id: string; occurrence: string }>`
    select m.memory_id, concat(m.kind, ' ', m.occurred_at) as occurrence from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row.occurrence]))
}

/** The most others that are named. */
const SAME_TEXT_MOST = 10

/**
 * The plain ids of other memories that say just the same, oldest first, by a memory's plain id: the same text, of the same kind, in the
 * same context, about the same time. At most ten.
 */
export async function readSameText(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  memories: readonly Memory[],
): Promise<Map<string, string[]>> {
  const given = memories.map(({ state }) => ({
    memory_id: state.id,
    kind: state.kind,
    context: state.context,
    occurred_at: state.occurredAt,
    content_hash: contentHash(embeddedTextOf(state)).toString('hex'),
  }))
  const { rows } = await sql<{ memory_id: string; others: string[] }>`
    select given.memory_id, array(
      select m.memory_id::text from ${tables.memories} m
      where m.project_id = ${projectId} and m.content_hash = decode(given.content_hash, 'hex')
        and m.memory_id <> given.memory_id and m.kind = given.kind and m.context is not distinct from given.context
        and m.occurred_at is not distinct from given.occurred_at and ${filterCondition(tables, {})}
      order by m.first_sequence limit ${SAME_TEXT_MOST}) as others
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(memory_id uuid, kind text, context text,
      occurred_at timestamptz, content_hash text)`.execute(db)
  return new Map(rows.map(({ memory_id: id, others }) => [id, others]))
}

interface ListOptions {
  readonly filter: MemoryFilter
  readonly before?: number | null
  readonly limit: number
  readonly also?: RawBuilder<boolean>
}

/**
 * Memories that match the filter, newest first. With `before`, only those whose first sequence is below it.
 * @param also a further condition on the table `memories` with the alias `m`; default none
 */
export async function listMemories(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { filter, before = null, limit, also = sql<boolean>`true` }: ListOptions,
): Promise<ListedMemory[]> {
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(tables, filter)} and ${also}
      and (${before}::bigint is null or m.first_sequence < ${before})
    order by m.first_sequence desc limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** The plain ids of memories that match the filter, newest first; for erasure, so what is in quarantine is not left out. */
export async function listMemoryIds(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { filter, limit }: Pick<ListOptions, 'filter' | 'limit'>,
): Promise<string[]> {
  const { rows } = await sql<{ memory_id: string }>`
    select m.memory_id from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition({ withheld: NOTHING_WITHHELD }, filter)}
    order by m.first_sequence desc limit ${limit}`.execute(db)
  return rows.map((row) => row.memory_id)
}

/** Where the past is read: a place in the journal, and the moment that it stands for (RFC 3339). */
export interface PastMoment {
  readonly sequence: number
  readonly moment: string
}

/** A memory as it was, by its plain id, forgotten or not; null if it was not there yet. */
export async function readMemoryAsOf(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  id: string,
  { sequence }: Pick<PastMoment, 'sequence'>,
): Promise<Memory | null> {
  const { rows } = await sql<MemoryColumns>`
    select m.state, m.version, m.sequence, m.first_sequence
    from ${memoriesAsOf(tables, projectId, sequence)} m where m.memory_id = ${id}::uuid`.execute(db)
  return rows.map(toMemory)[0] ?? null
}

/** Like `listMemories`, as it was at a moment: what has been remembered since is left out. */
export async function listMemoriesAsOf(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { sequence, moment }: PastMoment,
  { filter, before = null, limit }: { filter: MemoryFilter; before?: number | null; limit: number },
): Promise<ListedMemory[]> {
  const { rows } = await sql<MemoryColumns>`
    select m.state, m.version, m.sequence, m.first_sequence from ${memoriesAsOf(tables, projectId, sequence)} m
    where ${filterCondition(tables, filter, sql`${moment}::timestamptz`)}
      and (${before}::bigint is null or m.first_sequence < ${before})
    order by m.first_sequence desc limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** Memories of a kind with exactly this key, newest first. */
export async function readByKey(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { kind, key, limit }: { kind: KindName; key: string; limit: number },
): Promise<Memory[]> {
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and m.kind = ${kind} and m.exact_key = ${key} and ${filterCondition(tables, {})}
    order by m.sequence desc limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** The most recently written keys of a kind, newest first, each once. Used for hints. */
export async function recentKeys(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { kind, limit }: { kind: KindName; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ exact_key: string }>`
    select m.exact_key from ${tables.memories} m
    where m.project_id = ${projectId} and m.kind = ${kind} and m.exact_key is not null and ${filterCondition(tables, {})}
    group by m.exact_key order by max(m.first_sequence) desc limit ${limit}`.execute(db)
  return rows.map((row) => row.exact_key)
}

/** A memory whose `expiresAt` has passed, and that is still in the indexes. */
export interface DueMemory {
  readonly projectId: string
  readonly memoryId: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/**
 * The memories of all projects that are due to expire, in the order of their moments. Those of projects that follow a
 * home are left out: it expires them.
 * @param db bound to no project
 * @param after the last one that was seen; null: from the first
 */
export async function readDueMemories(
  db: Database,
  tables: GenerationTables,
  { after, limit }: { after: DueMemory | null; limit: number },
): Promise<DueMemory[]> {
  const { rows } = await sql<DueMemory>`
    select m.project_id as "projectId", m.memory_id as "memoryId", m.expires_at as "expiresAt"
    from ${tables.memories} m
    where m.expires_at is not null and not m.forgotten and m.expires_at <= clock_timestamp()
      and not exists (select from journal_heads h where h.project_id = m.project_id and h.followed)
      and (${after?.expiresAt ?? null}::timestamptz is null
        or (m.expires_at, m.memory_id) > (${after?.expiresAt ?? null}::timestamptz, ${after?.memoryId ?? null}::uuid))
    order by m.expires_at, m.memory_id limit ${limit}`.execute(db)
  return rows
}

/** Milliseconds until the next memory of any project expires; null if none will. */
export async function readNextExpiry(db: Database, tables: GenerationTables): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(m.expires_at) - clock_timestamp()) * 1000)::float8 as ms from ${tables.memories} m
    where m.expires_at is not null and not m.forgotten and m.expires_at > clock_timestamp()`.execute(db)
  return rows[0]?.ms ?? null
}

/** IMPORTANCE: the most important first, the newest of those. DATE: what happened last first. */
type CategoryOrder = 'IMPORTANCE' | 'DATE'

/** Which memories of a category are read. */
export interface CategoryPage {
  readonly category: string
  readonly filter: MemoryFilter
  readonly order: CategoryOrder
  /** A further condition over `m`. */
  readonly also?: RawBuilder<boolean>
  /** Entities of this type count, too. */
  readonly orEntityType?: string
  readonly limit: number
  /** How many are left out at the beginning. Default 0. */
  readonly offset?: number
}

/** When a memory happened; when it was written if nobody told. */
export const HAPPENED_AT: RawBuilder<string> = sql<string>`coalesce(m.occurred_at, m.created_at)`

const ORDERS: Readonly<Record<CategoryOrder, RawBuilder<unknown>>> = {
  IMPORTANCE: sql`m.importance desc, m.first_sequence desc`,
  DATE: sql`${HAPPENED_AT} desc, m.first_sequence desc`,
}

/** Memories of a category that match the filter. */
export async function readOfCategory(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  { category, filter, order, also, orEntityType, limit, offset = 0 }: CategoryPage,
): Promise<Memory[]> {
  const entities =
    orEntityType === undefined
      ? sql``
      : sql`or (m.kind = 'entity' and lower(m.state->'content'->>'type') = ${orEntityType})`
  const { rows } = await sql<MemoryColumns>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(tables, filter)}
      and (m.categories @> ${[category]}::text[] ${entities}) and ${also ?? sql`true`}
    order by ${ORDERS[order]} limit ${limit} offset ${offset}`.execute(db)
  return rows.map(toMemory)
}

/**
 * The kinds that a person opens and closes, each with the condition on the table `memories` (alias `m`) for
 * those that are open. A session without a status is open: nobody closed it.
 */
export const STILL_OPEN = {
  todo: sql<boolean>`(m.kind = 'todo' and m.state->'content'->>'resolvedAt' is null)`,
  session: sql<boolean>`(m.kind = 'session' and m.state->'content'->>'status' is distinct from 'closed')`,
} as const satisfies Record<string, RawBuilder<boolean>>
