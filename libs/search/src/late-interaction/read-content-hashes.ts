import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** Reads the hashes of memories' texts in hexadecimal, by memory. */
export async function readContentHashes(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<{ memory_id: string; content_hash: string }>`
    select memory_id, encode(content_hash, 'hex') as content_hash
    from ${tables.memories} one where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.memory_id, row.content_hash]))
}
