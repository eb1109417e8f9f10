import type { MemoryFilter } from '@daybook/memory/filter'
import { type RawBuilder, sql } from 'kysely'

/**
 * The filter as an SQL condition on the table `memories` with the alias `m`; `matchesFilter` applies the same
 * rules to a state. Forgotten memories are left out unless asked for. Expired ones are always left out.
 */
export function filterCondition(filter: MemoryFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [sql`(m.expires_at is null or m.expires_at > now())`]
  const add = (condition: RawBuilder<unknown>) => conditions.push(condition)
  if (filter.includeForgotten !== true) add(sql`not m.forgotten`)
  if (filter.kinds !== undefined) add(sql`m.kind = any(${filter.kinds}::text[])`)
  if (filter.labelsAny !== undefined) add(sql`m.labels && ${filter.labelsAny}::text[]`)
  if (filter.labelsAll !== undefined) add(sql`m.labels @> ${filter.labelsAll}::text[]`)
  if (filter.categories !== undefined) add(sql`m.categories && ${filter.categories}::text[]`)
  if (filter.minImportance !== undefined) add(sql`m.importance >= ${filter.minImportance}::float8`)
  if (filter.context !== undefined) add(sql`m.context = ${filter.context}`)
  if (filter.agent !== undefined) add(sql`m.agent = ${filter.agent}`)
  if (filter.createdAfter !== undefined) add(sql`m.created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore !== undefined) add(sql`m.created_at < ${filter.createdBefore}`)
  if (filter.occurredAfter !== undefined) add(sql`m.occurred_at >= ${filter.occurredAfter}`)
  if (filter.occurredBefore !== undefined) add(sql`m.occurred_at < ${filter.occurredBefore}`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
