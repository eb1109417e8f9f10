import type { RawBuilder } from 'kysely'

/** The tables of one generation that the lexical index stands in, ready to stand in a statement. */
export interface LexicalTables {
  /** Current states with their lexemes, forgotten ones included. */
  readonly memories: RawBuilder<unknown>
  /** The lexical index, forgotten memories left out: see `postings.ts`. */
  readonly postings: RawBuilder<unknown>
  /** Per project: how many memories the lexical index holds, and their total length. */
  readonly lexicalStats: RawBuilder<unknown>
}
