import { ENGLISH } from '@daybook/lexical-index/lexemes'
import type { MemoryFilter } from '@daybook/memory/filter'
import { queryWords } from '@daybook/memory/fold-words'
import { filterCondition } from '@daybook/pgvector/read/filter'
import type { ReadTables } from '@daybook/pgvector/read/live-read-model'
import { type RawBuilder, sql } from 'kysely'
import type { Alternative, Demands } from '../../query/query.ts'
import type { Term } from '../../query/tokens.ts'

const tsquery = ({ type, text }: Term, language: RawBuilder<unknown>) =>
  type === 'phrase'
    ? sql`phraseto_tsquery(${language}, ${queryWords(text)})`
    : sql`plainto_tsquery(${language}, ${queryWords(text)})`

/**
 * A text without lexemes (only stop words) demands nothing: a requirement holds, an exclusion excludes
 * nothing.
 */
const holds = (one: Alternative, language: RawBuilder<unknown>): RawBuilder<unknown> =>
  one.type === 'group'
    ? demanded(one, language)
    : sql`(numnode(${tsquery(one, language)}) = 0 or m.lexemes @@ ${tsquery(one, language)})`
const hits = (one: Alternative, language: RawBuilder<unknown>): RawBuilder<unknown> =>
  one.type === 'group'
    ? demanded(one, language)
    : sql`(numnode(${tsquery(one, language)}) > 0 and m.lexemes @@ ${tsquery(one, language)})`

const demanded = (demands: Demands, language: RawBuilder<unknown>) =>
  sql`(${sql.join(conditionsOf(demands, language), sql` and `)})`

const conditionsOf = (
  { required, excluded }: Demands,
  language: RawBuilder<unknown>,
): RawBuilder<unknown>[] => [
  ...required.map(
    (group) =>
      sql`(${sql.join(
        group.map((one) => holds(one, language)),
        sql` or `,
      )})`,
  ),
  ...excluded.map((one) => sql`not ${hits(one, language)}`),
]

/**
 * The condition that every hit must satisfy, whichever retriever finds it: the filter, what the
 * query requires, and its exclusions. SQL over the table `memories` with the alias `m`.
 *
 * @param language of the memories (`languageOf`); default English
 * @param at the moment at which it must not have expired. Default: now
 */
export function hitCondition(
  tables: ReadTables,
  filter: MemoryFilter,
  query: Demands,
  language: RawBuilder<unknown> = ENGLISH,
  at?: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join([filterCondition(tables, filter, at), ...conditionsOf(query, language)], sql` and `)})`
}
