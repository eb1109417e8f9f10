import {
  conditionsOf,
  type FilterCondition,
  type FilteredField,
  type MemoryFilter,
} from '@daybook/memory/filter'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { notWithheld, trustedAtLeast, type Withheld } from './access.ts'
import type { ReadTables } from './live-read-model.ts'

type Columns = { readonly [Field in FilteredField]: RawBuilder<unknown> }

/** The columns that filters read. The table is `memories`, with the alias `m`; `past-memories.ts` has them of the past. */
const COLUMNS: Columns = {
  kind: sql`m.kind`,
  labels: sql`m.labels`,
  categories: sql`m.categories`,
  context: sql`m.context`,
  agent: sql`m.agent`,
  importance: sql`m.importance`,
  createdAt: sql`m.created_at`,
  occurredAt: sql`m.occurred_at`,
}

/** Those of them that an index has, beside `context`. */
const INDEXED: Columns = {
  ...COLUMNS,
  labels: sql`m.filter_labels`,
  categories: sql`m.filter_categories`,
}

/** Where a reader sees who is in quarantine: the tables of the live generation (`live-read-model.ts`). */
interface WithheldFrom {
  readonly withheld: Withheld
}

/**
 * The filter as an SQL condition on the table `memories` with the alias `m`; `matchesFilter` applies the same
 * rules to a state. Forgotten memories are left out unless asked for, expired ones too.
 * Between their moment and the event that forgets them, the latter are always left out. So is what a writer in quarantine
 * wrote. Every list, search and count of memories has this condition, also those of the past.
 *
 * @param at the moment at which they must not have expired. Default: now
 */
export function filterCondition(
  { withheld }: WithheldFrom,
  filter: MemoryFilter,
  at: RawBuilder<unknown> = sql`now()`,
): RawBuilder<boolean> {
  return condition(withheld, filter, at, COLUMNS)
}

/**
 * The same for memories whose labels and categories are short, which an index answers without the rows. Those
 * with long ones satisfy none: `filter_labels` is null.
 */
export const indexedFilterCondition = (
  { withheld }: WithheldFrom,
  filter: MemoryFilter,
  at: RawBuilder<unknown> = sql`now()`,
): RawBuilder<boolean> =>
  sql<boolean>`(m.filter_labels is not null and ${condition(withheld, filter, at, INDEXED)})`

function condition(
  withheld: Withheld,
  filter: MemoryFilter,
  at: RawBuilder<unknown>,
  columns: Columns,
): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [
    sql`(m.forgotten or m.expires_at is null or m.expires_at > ${at})`,
    ...(filter.includeForgotten === true ? [] : [sql`not m.forgotten`]),
    ...conditionsOf(filter).map((one) => inSql(columns[one.field], one)),
    ...(filter.minTrust === undefined ? [] : trustedAtLeast(filter.minTrust)),
    ...notWithheld(withheld),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function inSql(column: RawBuilder<unknown>, { comparison, given }: FilterCondition): RawBuilder<unknown> {
  switch (comparison) {
    case 'isOneOf':
      return sql`${column} = any(${given}::text[])`
    case 'equals':
      return sql`${column} = ${given}`
    case 'sharesOne':
      return sql`${column} && ${given}::text[]`
    case 'hasAll':
      return sql`${column} @> ${given}::text[]`
    case 'atLeast':
      return sql`${column} >= ${given}::float8`
    case 'notBefore':
      return sql`${column} >= ${given}`
    case 'before':
      return sql`${column} < ${given}`
  }
}

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
