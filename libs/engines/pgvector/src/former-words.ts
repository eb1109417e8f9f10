import type { PostingTables } from '@daybook/lexical-index/lexemes'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationTables } from './generation-tables.ts'

/**
 * The lexical index of what memories said once: a posting, under the memory's own number, for each lexeme that
 * one of its texts had and that `postings` does not find it by any more. A forgotten memory is found by none.
 *
 *   former = (lexemes of its earlier texts, and of the present one if it is forgotten) − lexemes in `postings`
 *
 * So both indexes together lead from every word to each memory that ever said it, and no posting is there
 * twice: a revision that leaves the text alone adds none, a revision of the text one for each word that goes.
 * Which version said the word follows from the lexemes of the versions. There are no positions, so each
 * posting counts as one occurrence.
 */
export function formerWords({ memories, versions, formerPostings }: GenerationTables): PostingTables {
  return {
    memories: sql`(
      select c.project_id, c.memory_id, c.number, c.length, false as forgotten, former.lexemes
      from ${memories} c cross join lateral (
        select array_to_tsvector(array(
          (
            select unnest(tsvector_to_array(v.lexemes)) from ${versions} v
            where v.project_id = c.project_id and v.memory_id = c.memory_id and v.lexemes is not null
            union select unnest(tsvector_to_array(c.lexemes)) where c.forgotten
          ) except select unnest(tsvector_to_array(c.lexemes)) where not c.forgotten
        )) as lexemes offset 0
      ) former
    )`,
    postings: formerPostings,
  }
}

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
