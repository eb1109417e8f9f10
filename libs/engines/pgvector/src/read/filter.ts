import {
  conditionsOf,
  type FilterCondition,
  type FilteredField,
  type MemoryFilter,
} from '@daybook/memory/filter'
import { type RawBuilder, sql } from 'kysely'
import { trustedAtLeast } from './trusted.ts'
import { notWithheld, type Withheld } from './withheld.ts'

type Columns = { readonly [Field in FilteredField]: RawBuilder<unknown> }

/** The columns that filters read. The table is `memories`, with the alias `m`. */
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
