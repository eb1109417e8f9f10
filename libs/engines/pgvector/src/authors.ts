import { type RawBuilder, sql } from 'kysely'

/** As Postgres writes a `uuid`: a journal of elsewhere may name anything, and a cast would refuse its events. */
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const key = (state: RawBuilder<unknown>, author: 'writtenBy' | 'editedBy') => sql`
  case when ${state}->${sql.lit(author)}->>'key' ~ ${sql.lit(UUID)}
    then (${state}->${sql.lit(author)}->>'key')::uuid end`

/**
 * The columns of `memories` that say whose a memory is, from its state as JSON (`@daybook/memory/authors`): the keys, and
 * the agents that they said to be. They are null where nobody knows.
 */
export const authorsOf = (state: RawBuilder<unknown>) =>
  ({
    writer: key(state, 'writtenBy'),
    editor: key(state, 'editedBy'),
    writer_agent: sql`${state}->'writtenBy'->>'agent'`,
    editor_agent: sql`${state}->'editedBy'->>'agent'`,
  }) as const satisfies Record<string, RawBuilder<unknown>>
