import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** What the ranking asks of a memory beside its tokens. */
export interface MemoryFacts {
  /** The first 50 characters of a note; null for other kinds, or if they were not asked for. */
  readonly beginning: string | null
  /** When it happened, else when it was remembered: milliseconds since 1970. */
  readonly time: number
}

interface Row extends MemoryFacts {
  readonly memory_id: string
}

/** Reads the facts of memories. @param withBeginnings they take as long as the memories themselves */
export async function readFacts(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  memoryIds: readonly string[],
  withBeginnings: boolean,
): Promise<ReadonlyMap<string, MemoryFacts>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<Row>`
    select memory_id, extract(epoch from coalesce(occurred_at, created_at))::float8 * 1000 as time,
      case when ${withBeginnings} and kind = 'note' then left(state->'content'->>'text', 50) end as beginning
    from ${tables.memories} one where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ memory_id: id, ...facts }) => [id, facts]))
}
