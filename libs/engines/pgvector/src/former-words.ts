import type { PostingTables } from '@daybook/lexical-index/tables'
import { sql } from 'kysely'
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
