/**
 * One thing that a memory's text may contain. A `word` is text between blanks, with its punctuation
 * (`jwt-validation`, `don't`). A `phrase` is the content of a pair of quotes, its words separated by one
 * blank. Both are plain text: whoever matches them must turn them into lexemes, and may get none (`the`,
 * `"?!"`). A `group` holds if all of its demands do.
 */
export type Alternative =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'phrase'; readonly text: string }
  | ({ readonly type: 'group' } & Demands)

/** What a memory must and must not contain. */
export interface Demands {
  /** One alternative of every entry must hold. */
  readonly required: readonly (readonly Alternative[])[]
  /** None of these may hold. */
  readonly excluded: readonly Alternative[]
}

/** A parsed search query. `parseQuery` documents the syntax. Bare words are not among its demands: they rank. */
export interface ParsedQuery extends Demands {
  /**
   * Everything that may match, for scoring and embedding: bare words and the words of phrases in order,
   * without operators and exclusions, such as `login red car`. Plain text: do not parse it again, as it could
   * contain operators.
   */
  readonly wanted: string
  /** How many phrases, exclusions and operands of AND count as words, being too many or too long (`DEMANDED_MOST`). Absent: none. */
  readonly tooMany?: number
}

/**
 * Whether nothing is wanted: the query is empty, blank, only punctuation, or only operators and exclusions.
 * Callers report an error.
 */
export function isEmpty(query: Pick<ParsedQuery, 'wanted'>): boolean {
  return query.wanted === ''
}
