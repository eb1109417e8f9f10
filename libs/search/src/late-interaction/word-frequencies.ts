import { languageOf } from '@daybook/lexical-index/lexemes'
import { POSTING_BYTES } from '@daybook/lexical-index/postings'
import { queryWords } from '@daybook/memory/fold-words'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** In how many memories of a project a question's words are. */
export interface WordFrequencies {
  /** The number of the project's live memories. */
  readonly documents: number
  /**
   * By word: the number of live memories with the word's rarest lexeme. A stop word or a punctuation mark has
   * no lexeme and is not in here.
   */
  readonly documentFrequency: ReadonlyMap<string, number>
}

interface Row {
  readonly documents: number
  readonly word: string | null
  readonly memories: number
}

/**
 * Counts the postings of words, without reading them: Postgres knows the length of a value that is stored
 * outside its row.
 *
 * @param words as the model's tokenizer gives them, in lower case
 */
export async function readWordFrequencies(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  words: readonly string[],
): Promise<WordFrequencies> {
  const distinct = [...new Set(words)]
  // `offset 0` makes the planner look up each lexeme by its key.
  const { rows } = await sql<Row>`
    with found as (
      select given.word, min(counted.memories)::int as memories
      from unnest(${distinct}::text[], ${distinct.map(queryWords)}::text[]) as given(word, folded)
        cross join lateral unnest(to_tsvector(${languageOf(tables, projectId)}, given.folded)) as t
        cross join lateral (
          select coalesce(sum(octet_length(entries) + octet_length(recent) - octet_length(removed)), 0)
            / ${sql.lit(POSTING_BYTES)} as memories
          from ${tables.postings} where project_id = ${projectId} and lexeme = t.lexeme offset 0
        ) counted
      group by given.word
    )
    select coalesce((select memories from ${tables.lexicalStats} where project_id = ${projectId}), 0) as documents,
      found.word, coalesce(found.memories, 0) as memories
    from (select) always left join found on true`.execute(db)
  return {
    documents: rows[0]?.documents ?? 0,
    documentFrequency: new Map(
      rows.flatMap(({ word, memories }) => (word === null ? [] : [[word, memories] as const])),
    ),
  }
}
