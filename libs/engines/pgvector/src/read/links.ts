import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { filterCondition } from './filter.ts'
import type { ReadTables } from './live-read-model.ts'
import { notWithheld } from './withheld.ts'

/**
 * The ids of the memories that supersede these, by the superseded one's id; the newest where there are several.
 * Memories that were forgotten or have expired supersede nothing.
 */
export async function readSupersededBy(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ superseded: string; memory_id: string }>`
    select distinct on (m.supersedes) m.supersedes as superseded, m.memory_id from ${tables.memories} m
    where m.project_id = ${projectId} and m.supersedes = any(${ids}::text[]) and ${filterCondition(tables, {})}
    order by m.supersedes, m.first_sequence desc`.execute(db)
  return new Map(rows.map((row) => [row.superseded, row.memory_id]))
}

/** The ids of the parts of these documents that are remembered now, in order, by the document's id. */
export async function readParts(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ part_of: string; memory_id: string }>`
    select m.part_of, m.memory_id from ${tables.memories} m
    where m.project_id = ${projectId} and m.part_of = any(${ids}::text[])
      and ${sql.join([sql`not m.forgotten`, ...notWithheld(tables.withheld)], sql` and `)}
    order by m.part_of, (m.state->'part'->>'number')::int`.execute(db)
  const parts = new Map<string, string[]>()
  for (const { part_of, memory_id } of rows) parts.set(part_of, [...(parts.get(part_of) ?? []), memory_id])
  return parts
}

/** The ids of all further parts of these documents, forgotten ones too; plain ids. */
export async function readPartIds(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ memory_id: string }>`
    select m.memory_id from ${tables.memories} m
    where m.project_id = ${projectId} and m.part_of = any(${ids}::text[])`.execute(db)
  return rows.map((row) => row.memory_id)
}
