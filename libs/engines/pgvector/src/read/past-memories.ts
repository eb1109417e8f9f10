import type { FilteredField } from '@daybook/memory/filter'
import { type RawBuilder, sql } from 'kysely'
import { authorsOf } from '../former-words.ts'
import { type GenerationTables, wholeState } from '../generation-tables.ts'

/*
 * Memories as they were, as relations in parentheses with the columns of `memories` that filters and searches
 * read: `from ${memoriesAsOf(…)} m where ${filterCondition(filter, moment)}`. Besides there is
 *
 * - `superseded`: whether `postings` and `vectors` do not have this text, because the memory has another one
 *   by now, or is forgotten
 *
 * A memory that has not changed since is read from its own row, so a recent moment costs little more than the
 * present. Of others, the state is read from the event.
 */

/** What filters read: the column of `memories`, and its value from the event's data, as it is stored. A kind never changes. */
const FILTERED: {
  readonly [Field in Exclude<FilteredField, 'kind'>]: {
    readonly column: string
    readonly ofState: RawBuilder<unknown>
  }
} = {
  context: { column: 'context', ofState: sql`e.state->>'context'` },
  agent: { column: 'agent', ofState: sql`e.state->>'agent'` },
  labels: { column: 'labels', ofState: sql`array(select jsonb_array_elements_text(e.state->'labels'))` },
  categories: {
    column: 'categories',
    ofState: sql`array(select jsonb_array_elements_text(e.state->'categories'))`,
  },
  importance: { column: 'importance', ofState: sql`(e.state->>'importance')::smallint` },
  createdAt: { column: 'created_at', ofState: sql`(e.state->>'createdAt')::timestamptz` },
  occurredAt: { column: 'occurred_at', ofState: sql`(e.state->>'occurredAt')::timestamptz` },
}

const FIELDS = Object.values(FILTERED)
const FIELD_COLUMNS = sql.join(FIELDS.map(({ column }) => sql.id(column)))
const OF_ROW = sql.join(FIELDS.map(({ column }) => sql.id('c', column)))
const OF_STATE = sql.join(FIELDS.map(({ ofState }) => ofState))

const AUTHORS = authorsOf(sql`e.state`)
const AUTHORS_OF_STATE = sql.join(Object.values(AUTHORS))
const AUTHOR_COLUMNS = sql.join(Object.keys(AUTHORS).map((name) => sql.id(name)))
const AUTHORS_OF_ROW = sql.join(Object.keys(AUTHORS).map((name) => sql.id('c', name)))

const COLUMNS = sql`version, sequence, state, ${FIELD_COLUMNS}, expires_at, forgotten, lexemes, content_hash, superseded,
  ${AUTHOR_COLUMNS}`

/** A memory as its row `c` is now. */
const PRESENT = sql`
  select c.version, c.sequence, ${wholeState('c')} as state, ${OF_ROW}, c.expires_at, c.forgotten, c.lexemes, c.content_hash,
    c.forgotten as superseded, ${AUTHORS_OF_ROW}`

/** The state after the event `v.sequence`. Without one the event was erased, and its version is no more. */
const EVENT = sql`
  select data->'state' as state from events
  where project_id = c.project_id and sequence = v.sequence and data is not null offset 0`

/** Every memory of a project as it was after an event of the journal, forgotten ones included. */
export function memoriesAsOf(
  { memories, versions }: GenerationTables,
  projectId: string,
  sequence: number,
): RawBuilder<unknown> {
  return sql`(
    select c.project_id, c.memory_id, c.number, c.kind, c.first_sequence, s.*
    from ${memories} c cross join lateral (
      ${PRESENT} where c.sequence <= ${sequence}
      union all
      select v.version, v.sequence, e.state, ${OF_STATE}, (e.state->>'expiresAt')::timestamptz,
        e.state->>'forgottenAt' is not null, coalesce(text.lexemes, c.lexemes), v.content_hash,
        c.forgotten or text.lexemes is not null, ${AUTHORS_OF_STATE}
      from (
        select version, sequence, content_hash from ${versions}
        where project_id = c.project_id and memory_id = c.memory_id and c.sequence > ${sequence}
          and sequence <= ${sequence}
        order by version desc limit 1
      ) v cross join lateral (${EVENT}) e left join lateral (
        select lexemes from ${versions}
        where project_id = c.project_id and memory_id = c.memory_id and version >= v.version and lexemes is not null
        order by version limit 1
      ) text on true
    ) s (${COLUMNS})
    where c.project_id = ${projectId} and c.first_sequence <= ${sequence}
  )`
}

/**
 * Every text that a memory of a project ever had, each in its last version. A memory that is forgotten or has
 * expired now is so in all its versions; the other columns are those of the version.
 */
export function memoriesEver(
  { memories, versions }: GenerationTables,
  projectId: string,
): RawBuilder<unknown> {
  return sql`(
    select c.project_id, c.memory_id, c.number, c.kind, c.first_sequence, s.*
    from ${memories} c cross join lateral (
      ${PRESENT}
      union all
      select v.version, v.sequence, e.state, ${OF_STATE}, c.expires_at, c.forgotten, v.lexemes, v.content_hash, true,
        ${AUTHORS_OF_STATE}
      from ${versions} v cross join lateral (${EVENT}) e
      where v.project_id = c.project_id and v.memory_id = c.memory_id and v.lexemes is not null
    ) s (${COLUMNS})
    where c.project_id = ${projectId}
  )`
}

/** The ids of memories with a text that is only in `versions`, or that are forgotten: `select memory_id`. */
export const withSupersededTexts = (
  { memories, versions }: GenerationTables,
  projectId: string,
): RawBuilder<unknown> => sql`
  select distinct memory_id from ${versions} where project_id = ${projectId} and lexemes is not null
  union select memory_id from ${memories} where project_id = ${projectId} and forgotten`
