import { languageOf } from '@daybook/lexical-index/language'
import { queryWords } from '@daybook/memory/fold-words'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** A distinct word of the question. */
export interface QueryTerm {
  /** The word as Postgres stems it. */
  readonly lexeme: string
  /** The word as it was written. */
  readonly word: string
  /** How often it occurs in the question. */
  readonly frequency: number
}

/** The significant words of a text as Postgres analyses it, without stop words. */
export async function queryTerms(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  wanted: string,
): Promise<QueryTerm[]> {
  const language = languageOf(tables, projectId)
  const text = queryWords(wanted)
  const { rows } = await sql<QueryTerm>`
    select q.lexeme, min(t.token) as word, cardinality(q.positions) as frequency
    from unnest(to_tsvector(${language}, ${text})) q
    join (select token, unnest(lexemes) as lexeme from ts_debug(${language}, ${text})) t on t.lexeme = q.lexeme
    group by q.lexeme, q.positions order by q.positions[1], q.lexeme`.execute(db)
  return rows
}
