import type { RawBuilder } from 'kysely'

/** The tables of the lexical index in one generation, for use in a statement. */
export interface LexicalTables {
  /** The current states with their lexemes, forgotten memories included. */
  readonly memories: RawBuilder<unknown>
  /** The lexical index, without forgotten memories: see `postings.ts`. */
  readonly postings: RawBuilder<unknown>
  /** Per project: the number of memories in the lexical index, and their total length. */
  readonly lexicalStats: RawBuilder<unknown>
}
