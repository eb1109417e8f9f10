import { authorsOf } from '@daybook/memory/authors'
import type { MemoryState } from '@daybook/memory/state'
import type { Trust } from '@daybook/memory/trust'
import { isSelected } from '@daybook/memory/undo'
import type { Writer } from '@daybook/memory/writer'
import type { Database, Queryable } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { startLoop, UNTIL_WOKEN } from '@daybook/runtime/loop'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { noOtherAuthor } from '../former-words.ts'
import type { GenerationTables } from '../generation-tables.ts'

/** How often a memory was found or read, and when it last was. */
export interface Access {
  readonly accessedAt: string
  readonly accessCount: number
}

/**
 * Counts reads without slowing them down: counts are added up in this process and written together once a
 * second. A crash loses at most that second's counts. Counts are no facts, so they do not go through the
 * journal.
 */
export interface AccessTracker {
  touch(scope: ProjectScope, memoryIds: readonly string[]): void
  /** Writes the remaining counts. */
  stop(): Promise<void>
}

/** Counts by memory id. Memories that were never accessed are left out. */
export async function readAccess(
  { db, projectId }: ProjectScope,
  memoryIds: readonly string[],
): Promise<Map<string, Access>> {
  const rows = await db
    .selectFrom('memory_access')
    .select(['memory_id', 'accessed_at', 'access_count'])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .execute()
  return new Map(
    rows.map((row) => [row.memory_id, { accessedAt: row.accessed_at, accessCount: row.access_count }]),
  )
}

/**
 * The most memories per project whose counts wait to be written. Further memories are not counted until the
 * next write.
 */
const CAPACITY = 10_000

/** Starts a tracker that writes its counts every `flushMs` milliseconds. */
export function startAccessTracker(db: Database, logger: Logger, flushMs = 1_000): AccessTracker {
  let counts = new Map<string, Map<string, number>>()

  const flush = async (): Promise<void> => {
    const taken = counts
    counts = new Map()
    for (const [projectId, byMemory] of taken) await writeCounts(projectScope(db, projectId), byMemory)
  }
  const onError = (error: unknown) =>
    logger.warn({ error }, 'could not write the access counts of the last second')
  const loop = startLoop(() => flush().then(() => UNTIL_WOKEN), { everyMs: flushMs, onError })

  return {
    touch({ projectId }, memoryIds) {
      const byMemory = counts.get(projectId) ?? new Map<string, number>()
      counts.set(projectId, byMemory)
      for (const id of memoryIds) if (byMemory.size < CAPACITY) byMemory.set(id, (byMemory.get(id) ?? 0) + 1)
      loop.wake(flushMs)
    },
    async stop() {
      await loop.stop()
      await flush().catch(onError)
    },
  }
}

async function writeCounts(
  { db, projectId }: ProjectScope,
  byMemory: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    insert into memory_access as a (project_id, memory_id, accessed_at, access_count)
    select ${projectId}, memory_id, now(), times
    from unnest(${[...byMemory.keys()]}::uuid[], ${[...byMemory.values()]}::int[]) as given(memory_id, times)
    order by memory_id
    on conflict (project_id, memory_id) do update set
      accessed_at = excluded.accessed_at, access_count = a.access_count + excluded.access_count`.execute(db)
}

const textsOf = (trust: 'low' | 'high') =>
  sql`array(select key_id::text from key_trust where trust = ${trust})`

const keysOf = (trust: 'low' | 'high') => sql`array(select key_id from key_trust where trust = ${trust})`

/**
 * The condition on `memories` with the alias `m` that a memory is trusted so far (`@daybook/memory/trust`): by the
 * trust that its authors' keys have now, not when they wrote.
 */
export function trustedAtLeast(least: Trust): RawBuilder<unknown>[] {
  switch (least) {
    case 'low':
      return []
    case 'normal':
      return [
        isNone(sql`m.writer`),
        isNone(sql`m.editor`),
        noOtherAuthor((author) => sql`${author}->>'key' = any(${textsOf('low')})`),
      ]
    case 'high':
      return [
        sql`m.writer = any(${keysOf('high')})`,
        sql`(m.editor is null or m.editor = any(${keysOf('high')}))`,
        noOtherAuthor((author) => sql`(${author}->>'key' = any(${textsOf('high')})) is not true`),
      ]
  }
}

const isNone = (author: RawBuilder<unknown>) => sql`(${author} is null or ${author} <> all(${keysOf('low')}))`

/** The writers in quarantine, as far as they concern one project. */
export interface Withheld {
  /** Ids of keys. */
  readonly keys: readonly string[]
  readonly agents: readonly string[]
}

/** The same, as the database gives it. */
export interface WithheldRow {
  readonly keys: string[]
  readonly agents: string[]
}

/** Nobody is. */
export const NOTHING_WITHHELD: Withheld = { keys: [], agents: [] }

/**
 * Reads who is in quarantine now. No cache, so that a quarantine holds in every process at once: the table has a row for
 * each quarantine there ever was, and an index of those that last.
 * @param db bound to the project
 * @param onlyGlobal leaves out those of single projects; for a request that names none
 */
export async function readWithheld(db: Queryable, onlyGlobal = false): Promise<Withheld> {
  const { rows } = await withheldNow(onlyGlobal).execute(db)
  return rows[0] ?? NOTHING_WITHHELD
}

/** The statement of `readWithheld`: one row of keys and agents. */
export const withheldNow = (onlyGlobal = false): RawBuilder<WithheldRow> => sql<WithheldRow>`
  with lasting as materialized (
    select key_ids, agent from quarantines
    where released_at is null and (not ${onlyGlobal} or project_id is null)
  )
  select coalesce((select array_agg(distinct key::text) from lasting, unnest(key_ids) key), '{}') as keys,
    coalesce((select array_agg(distinct agent) filter (where agent is not null) from lasting), '{}') as agents`

/** Whether anybody is in quarantine. */
export const isAnythingWithheld = ({ keys, agents }: Withheld): boolean => keys.length + agents.length > 0

/** Whether a memory is withheld: an author of what it says now is in quarantine. */
export const isWithheld = (withheld: Withheld, state: MemoryState): boolean =>
  authorsOf(state).some((author) => isWithheldWriter(withheld, author))

/** Whether a writer is in quarantine. */
export const isWithheldWriter = ({ keys, agents }: Withheld, writer: Writer): boolean =>
  isSelected({ keys, agent: null }, writer) || (writer.agent !== undefined && agents.includes(writer.agent))

/**
 * The same as conditions on the table `memories` with the alias `m`. None while nobody is in quarantine: then searches
 * run the statements that they always ran.
 */
export function notWithheld({ keys, agents }: Withheld): RawBuilder<unknown>[] {
  return [
    ...(keys.length === 0
      ? []
      : [
          isNoneOf(sql`m.writer`, keys, 'uuid'),
          isNoneOf(sql`m.editor`, keys, 'uuid'),
          noOtherAuthor((author) => sql`${author}->>'key' = any(${keys}::text[])`),
        ]),
    ...(agents.length === 0
      ? []
      : [
          isNoneOf(sql`m.writer_agent`, agents, 'text'),
          isNoneOf(sql`m.editor_agent`, agents, 'text'),
          noOtherAuthor((author) => sql`${author}->>'agent' = any(${agents}::text[])`),
        ]),
  ]
}

const isNoneOf = (column: RawBuilder<unknown>, given: readonly string[], type: 'uuid' | 'text') =>
  sql`(${column} is null or ${column} <> all(${given}::${sql.raw(type)}[]))`

/** How many memories that are not forgotten these writers are authors of. It reads an index, and rows only for agents. */
export async function countWithheld(
  { db, projectId }: ProjectScope,
  { memories }: GenerationTables,
  withheld: Withheld,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${memories} m
    where m.project_id = ${projectId} and not m.forgotten
      and not (${sql.join([sql`true`, ...notWithheld(withheld)], sql` and `)})`.execute(db)
  return rows[0]?.count ?? 0
}
