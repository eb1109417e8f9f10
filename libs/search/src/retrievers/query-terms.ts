import { breakTokens } from '@daybook/memory/break-tokens'
import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** A distinct word of the question. */
export interface QueryTerm {
  /** As Postgres stems it. */
  readonly lexeme: string
  /** As it was written. */
  readonly word: string
  /** How often the question says it. */
  readonly frequency: number
}

/** The significant words of a text as Postgres understands it; stop words are left out. */
export async function queryTerms(db: Queryable, wanted: string): Promise<QueryTerm[]> {
  const text = breakTokens(wanted)
  const { rows } = await sql<QueryTerm>`
    select q.lexeme, min(t.token) as word, cardinality(q.positions) as frequency
    from unnest(to_tsvector('english', ${text})) q
    join (select token, unnest(lexemes) as lexeme from ts_debug('english', ${text})) t on t.lexeme = q.lexeme
    group by q.lexeme, q.positions order by q.positions[1], q.lexeme`.execute(db)
  return rows
}
