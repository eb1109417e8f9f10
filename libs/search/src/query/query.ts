/**
 * One thing that the text of a memory can be asked to contain. A `word` is what stood between blanks, with its
 * punctuation (`jwt-validation`, `don't`); a `phrase` is the inside of a pair of quotes, its words one blank apart. Both are
 * plain text: whoever matches them still has to make lexemes of them, and may be left with none (`the`, `"🎉"`).
 */
export type Alternative =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'phrase'; readonly text: string }

/** A search query, understood. `parseQuery` makes it and documents the syntax. */
export interface ParsedQuery {
  /**
   * Everything that may match, for scoring and for embedding: bare words and the words of phrases, in order, without
   * operators and exclusions, e.g. `login red car`. Plain text: parsing it a second time could find operators in it.
   */
  readonly wanted: string
  /**
   * What a hit must satisfy: every group must hold; within a group any alternative. Only present where a phrase, or an OR
   * with a phrase, demands it: bare words only rank.
   */
  readonly required: readonly (readonly Alternative[])[]
  /** What no hit may contain. */
  readonly excluded: readonly Alternative[]
}

/** Nothing is wanted: the query is empty, blank, only punctuation, or only says what to leave out. A clear error for the caller. */
export function isEmpty(query: ParsedQuery): boolean {
  return query.wanted === ''
}
