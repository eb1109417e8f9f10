import type { RawBuilder } from 'kysely'

/** What postings are made of, and where they are: a lexical index without its statistics. */
export interface PostingTables {
  /**
   * Memories with their lexemes, forgotten ones included; a table, or a relation in parentheses. It has the
   * columns `project_id`, `memory_id`, `number`, `lexemes`, `length` and `forgotten`.
   */
  readonly memories: RawBuilder<unknown>
  /** The postings of memories that are not forgotten: see `postings.ts`. */
  readonly postings: RawBuilder<unknown>
}

/** The tables of the lexical index of current texts in one generation, for use in a statement. */
export interface LexicalTables extends PostingTables {
  /** Per project: the number of memories in the lexical index, and their total length. */
  readonly lexicalStats: RawBuilder<unknown>
}
