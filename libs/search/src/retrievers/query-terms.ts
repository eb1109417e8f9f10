import { breakTokens } from '@daybook/memory/break-tokens'
import type { Queryable } from '@daybook/postgres/connect'
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
export async function queryTerms(db: Queryable, wanted: string): Promise<QueryTerm[]> {
  const text = breakTokens(wanted)
  const { rows } = await sql<QueryTerm>`
    select q.lexeme, min(t.token) as word, cardinality(q.positions) as frequency
    from unnest(to_tsvector('english', ${text})) q
    join (select token, unnest(lexemes) as lexeme from ts_debug('english', ${text})) t on t.lexeme = q.lexeme
    group by q.lexeme, q.positions order by q.positions[1], q.lexeme`.execute(db)
  return rows
}
