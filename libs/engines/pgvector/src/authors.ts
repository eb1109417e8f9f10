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

/**
 * The condition on `memories` with the alias `m` that no author of one of its texts is such a one. Few memories have more than
 * the two authors of the columns, so it looks into the state, and only where that names them.
 * @param isSuch a condition on an author as JSON; JSON's null if nobody knows whose the text is
 */
export const noOtherAuthor = (isSuch: (author: RawBuilder<unknown>) => RawBuilder<unknown>) => sql`
  not (m.state ? 'textBy' and exists (
    select from jsonb_each(m.state->'textBy') as texts(name, author) where ${isSuch(sql`texts.author`)}))`
