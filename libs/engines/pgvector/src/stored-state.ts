import { type RawBuilder, sql } from 'kysely'

/*
 * The column `state` of `memories` has only those fields of a memory's state that do not follow from the row's other
 * columns: 250 bytes of 630 of a conversation's turn (docs/measurements.md#room-of-a-memory). They are put together
 * again when a state is read:
 *
 *   state = fields from the columns, overridden by those in `state`
 *
 * Nothing depends on how a column turns a value into another one: a field is left out only if the columns give exactly
 * its value back, and all of them stay if the state that would be read were another one. Such a row has an `id` in its
 * state; no other has. The content, which conditions look into, is always there.
 */

/** The columns that fields follow from. */
const COLUMNS = [
  'memory_id',
  'kind',
  'agent',
  'labels',
  'categories',
  'importance',
  'context',
  'created_at',
  'occurred_at',
  'expires_at',
] as const

type Columns = Readonly<Record<(typeof COLUMNS)[number], RawBuilder<unknown>>>

/** As a state has it: RFC 3339 with milliseconds. */
const moment = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What the columns say of a state, and what most states have in common. */
const followsFrom = (row: Columns): RawBuilder<unknown> => sql`
  jsonb_build_object('id', ${row.memory_id}, 'kind', ${row.kind}, 'agent', ${row.agent}, 'labels', ${row.labels},
    'categories', ${row.categories}, 'importance', ${row.importance}, 'context', ${row.context}, 'metadata', '{}'::jsonb,
    'createdAt', ${moment(row.created_at)}, 'updatedAt', ${moment(row.created_at)},
    'occurredAt', ${moment(row.occurred_at)}, 'expiresAt', ${moment(row.expires_at)}, 'forgottenAt', null)`

/**
 * SQL: what the column `state` holds of a state.
 * @param state the whole one, as JSON
 * @param row the values of the other columns
 */
export const storedState = (state: RawBuilder<unknown>, row: Columns): RawBuilder<unknown> => sql`(
  select case when known.derived || rest.fields = known.whole and not rest.fields ? 'id' then rest.fields
    else known.whole end
  from (select ${state} as whole, ${followsFrom(row)} as derived offset 0) known cross join lateral (
    select coalesce(jsonb_object_agg(key, value), '{}') as fields from jsonb_each(known.whole)
    where value is distinct from known.derived->key
  ) rest)`

/** SQL: the whole state of a row of the table `memories`. @param alias of the table */
export function wholeState(alias: string): RawBuilder<unknown> {
  const row = Object.fromEntries(COLUMNS.map((name) => [name, sql.id(alias, name)])) as Columns
  const state = sql.id(alias, 'state')
  return sql`case when ${state} ? 'id' then ${state} else ${followsFrom(row)} || ${state} end`
}
