import type { MemoryFilter } from '@daybook/memory/filter'
import type { KindName } from '@daybook/memory/kinds/index'
import type { Memory, MemoryState } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'
import { filterCondition } from './filter.ts'

/** What a memory is read from. */
export interface MemoryColumns {
  readonly state: MemoryState
  readonly version: number
  readonly sequence: number
  readonly first_sequence: number
}

/** A memory in a list, with the cursor that the next page begins after. */
export interface ListedMemory extends Memory {
  readonly firstSequence: number
}

export const toMemory = (row: MemoryColumns): ListedMemory => ({
  state: row.state,
  version: row.version,
  sequence: row.sequence,
  firstSequence: row.first_sequence,
})

/** Memories by id (plain UUIDs), forgotten ones included. What is not there is left out. */
export async function readMemories(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  ids: readonly string[],
): Promise<Map<string, Memory>> {
  const { rows } = await sql<MemoryColumns>`
    select m.state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`.execute(db)
  return new Map(rows.map((row) => [row.state.id, toMemory(row)]))
}

/** The first 50 characters of those memories that are notes, by id: enough to see who speaks, without reading them whole. */
export async function readNoteBeginnings(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ memory_id: string; beginning: string }>`
    select m.memory_id, left(m.state->'content'->>'text', 50) as beginning from ${tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[]) and m.kind = 'note'`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row.beginning]))
}

/** Memories that the filter means, newest first, those written before the one with `before` as its first sequence. */
export async function listMemories(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  { filter, before = null, limit }: { filter: MemoryFilter; before?: number | null; limit: number },
): Promise<ListedMemory[]> {
  const { rows } = await sql<MemoryColumns>`
    select m.state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(filter)}
      and (${before}::bigint is null or m.first_sequence < ${before})
    order by m.first_sequence desc limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** Memories of a kind with exactly this key, newest first. */
export async function readByKey(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  { kind, key, limit }: { kind: KindName; key: string; limit: number },
): Promise<Memory[]> {
  const { rows } = await sql<MemoryColumns>`
    select m.state, m.version, m.sequence, m.first_sequence from ${tables.memories} m
    where m.project_id = ${projectId} and m.kind = ${kind} and m.exact_key = ${key} and ${filterCondition({})}
    order by m.sequence desc limit ${limit}`.execute(db)
  return rows.map(toMemory)
}

/** The keys written last among a kind's memories, newest first, each once; for hints. */
export async function recentKeys(
  { db, projectId }: ProjectScope,
  tables: GenerationTables,
  { kind, limit }: { kind: KindName; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ exact_key: string }>`
    select m.exact_key from ${tables.memories} m
    where m.project_id = ${projectId} and m.kind = ${kind} and m.exact_key is not null and ${filterCondition({})}
    group by m.exact_key order by max(m.first_sequence) desc limit ${limit}`.execute(db)
  return rows.map((row) => row.exact_key)
}
