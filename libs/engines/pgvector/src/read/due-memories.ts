import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'

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
