import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { type SqlBool, sql } from 'kysely'

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
  const flushLogged = () =>
    flush().catch((error: unknown) =>
      logger.warn({ error }, 'could not write the access counts of the last second'),
    )

  let running = Promise.resolve()
  const timer = setInterval(() => {
    if (counts.size > 0) running = running.then(flushLogged)
  }, flushMs)
  timer.unref()

  return {
    touch({ projectId }, memoryIds) {
      const byMemory = counts.get(projectId) ?? new Map<string, number>()
      counts.set(projectId, byMemory)
      for (const id of memoryIds) if (byMemory.size < CAPACITY) byMemory.set(id, (byMemory.get(id) ?? 0) + 1)
    },
    async stop() {
      clearInterval(timer)
      await running
      await flushLogged()
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
