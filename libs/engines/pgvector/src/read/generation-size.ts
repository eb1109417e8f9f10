import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { generationTables } from '../generation-tables.ts'

/** The size of a generation's tables with their indexes, in bytes. 0 if there are none. */
export async function generationBytes(db: Queryable, generation: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(relation.oid)), 0)::bigint as bytes
    from pg_class relation join pg_namespace place on place.oid = relation.relnamespace
    where place.nspname = ${generationTables(generation).schema} and relation.relkind = 'r'`.execute(db)
  return rows[0]?.bytes ?? 0
}

/**
 * The number of memories, over all projects, that the generation finds by words. Forgotten ones are left out.
 * Reads one row per project.
 */
export async function countIndexed(db: Queryable, generation: number): Promise<number> {
  const { rows } = await sql<{ memories: number }>`
    select coalesce(sum(memories), 0)::bigint as memories from ${generationTables(generation).lexicalStats}`.execute(
    db,
  )
  return rows[0]?.memories ?? 0
}
