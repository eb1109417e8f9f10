import type { MemoryFilter } from '@daybook/memory/filter'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { wholeState } from '../stored-state.ts'
import { filterCondition } from './filter.ts'
import type { ReadTables } from './live-read-model.ts'
import { type MemoryColumns, toMemory } from './read-memories.ts'

/** IMPORTANCE: the most important first, the newest of those. DATE: what happened last first. */
export type CategoryOrder = 'IMPORTANCE' | 'DATE'

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
