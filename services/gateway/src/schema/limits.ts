/** What a single request may ask for. Each refusal names the limit. */
export const REQUEST_LIMITS = {
  bodyBytes: 1024 * 1024,
  tokens: 4_000,
  aliases: 30,
  directives: 50,
  depth: 16,
  breadth: 300,
  /** A field costs 1; what is in a list costs as much as the list may hold, 10 where no argument says. */
  cost: 20_000,
} as const

/**
 * What a search costs beside its answer: it compares vectors and words of the whole project, while a field copies a value. 13 in
 * a request are the limit so; 28 took 32 s.
 */
export const SEARCH_COST = 1_500

/** What remembering one of many costs: it is checked, hashed, written and indexed. Four times 500 do not fit into a request. */
export const REMEMBER_COST = 10

/** Items in one page of a list. */
export const PAGE_MAX = 100

/** What the builder takes a list to hold when it counts a query's cost. */
export const LIST_COST = 10

/** The cost of a field whose list is as long as the argument says: it makes up for what the builder does not see. @param field of the field itself, beside its list */
export function listCost(items: number | null | undefined, field = 1): { field: number; multiplier: number } {
  return { field, multiplier: Math.max(1, (items ?? LIST_COST) / LIST_COST) }
}
