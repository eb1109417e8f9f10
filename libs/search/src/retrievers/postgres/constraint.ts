import { breakTokens } from '@daybook/memory/break-tokens'
import type { MemoryFilter } from '@daybook/memory/filter'
import { filterCondition } from '@daybook/pgvector/read/filter'
import { type RawBuilder, sql } from 'kysely'
import type { Alternative, ParsedQuery } from '../../query/query.ts'

const tsquery = ({ type, text }: Alternative) =>
  type === 'phrase'
    ? sql`phraseto_tsquery('english', ${breakTokens(text)})`
    : sql`plainto_tsquery('english', ${breakTokens(text)})`

/**
 * A text without lexemes (only stop words) demands nothing: a requirement holds, an exclusion excludes
 * nothing.
 */
const holds = (one: Alternative) => sql`(numnode(${tsquery(one)}) = 0 or m.lexemes @@ ${tsquery(one)})`
const hits = (one: Alternative) => sql`(numnode(${tsquery(one)}) > 0 and m.lexemes @@ ${tsquery(one)})`

/**
 * The condition that every hit must satisfy, whichever retriever finds it: the filter, the query's phrases
 * and its exclusions. SQL over the table `memories` with the alias `m`.
 */
export function hitCondition(filter: MemoryFilter, query: ParsedQuery): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [filterCondition(filter)]
  for (const group of query.required) conditions.push(sql`(${sql.join(group.map(holds), sql` or `)})`)
  for (const one of query.excluded) conditions.push(sql`not ${hits(one)}`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}
