import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { EVENT_COLUMNS, type JournalRecord, toRecord } from '../read/stored-event.ts'
import type { UndoItem } from './undo-plan.ts'

/** The key of `readVersions`' answer. */
export const versionName = (memoryId: string, version: number) => `${memoryId}/${version}`

/** The events that made these versions of memories, by `versionName`. */
export async function readVersions(
  { db, projectId }: ProjectScope,
  wanted: readonly { readonly memoryId: string; readonly version: number }[],
): Promise<Map<string, JournalRecord>> {
  if (wanted.length === 0) return new Map()
  const ids = wanted.map(({ memoryId }) => memoryId)
  const versions = wanted.map(({ version }) => version)
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`(memory_id, version) in (select * from unnest(${ids}::uuid[], ${versions}::int[]))`)
    .execute()
  return new Map(rows.map((row) => [versionName(row.memory_id, row.version), toRecord(row)]))
}

/** The version that a memory goes back to, beside the one that it has. */
export interface ComparedVersions {
  /** Whether both have the same state, so that nothing is to be done. */
  readonly equal: boolean
  /** Whether the earlier one is forgotten, or does not exist. */
  readonly forgotten: boolean
  readonly erased: boolean
}

/** Compares for each item that is not refused, by memory. */
export async function compareVersions(
  { db, projectId }: ProjectScope,
  items: readonly UndoItem[],
): Promise<Map<string, ComparedVersions>> {
  const planned = items.filter(({ toVersion }) => toVersion !== null)
  if (planned.length === 0) return new Map()
  const ids = planned.map(({ memoryId }) => memoryId)
  const now = planned.map(({ fromVersion }) => fromVersion)
  const back = planned.map(({ toVersion }) => toVersion)
  const { rows } = await sql<ComparedVersions & { readonly memory_id: string }>`
    select given.memory_id, given.back > 0 and earlier.data is null as erased,
      given.back = 0 or earlier.data->'state'->>'forgottenAt' is not null as forgotten,
      coalesce(case when given.back = 0 then newest.data->'state'->>'forgottenAt' is not null
        else (newest.data->'state') - 'updatedAt' = (earlier.data->'state') - 'updatedAt' end, false) as equal
    from unnest(${ids}::uuid[], ${now}::int[], ${back}::int[]) as given(memory_id, now, back)
    join events newest on newest.project_id = ${projectId} and newest.memory_id = given.memory_id
      and newest.version = given.now
    left join events earlier on earlier.project_id = ${projectId} and earlier.memory_id = given.memory_id
      and earlier.version = given.back`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row]))
}
