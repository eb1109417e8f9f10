/**
 * One thing that a memory's text may contain. A `word` is text between blanks, with its punctuation
 * (`jwt-validation`, `don't`). A `phrase` is the content of a pair of quotes, its words separated by one
 * blank. Both are plain text: whoever matches them must turn them into lexemes, and may get none (`the`,
 * `"🎉"`).
 */
export type Alternative =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'phrase'; readonly text: string }

/** A parsed search query. `parseQuery` documents the syntax. */
export interface ParsedQuery {
  /**
   * Everything that may match, for scoring and embedding: bare words and the words of phrases in order,
   * without operators and exclusions, such as `login red car`. Plain text: do not parse it again, as it could
   * contain operators.
   */
  readonly wanted: string
  /**
   * What a hit must contain: one alternative of every group. A group is present only if a phrase, or an OR
   * with a phrase, requires it; bare words only rank.
   */
  readonly required: readonly (readonly Alternative[])[]
  /** What no hit may contain. */
  readonly excluded: readonly Alternative[]
}

/**
 * Whether nothing is wanted: the query is empty, blank, only punctuation, or only exclusions. Callers report
 * an error.
 */
export function isEmpty(query: ParsedQuery): boolean {
  return query.wanted === ''
}
