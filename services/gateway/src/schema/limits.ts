/** What a single request may ask for. Each refusal names the limit. */
export const REQUEST_LIMITS = {
  bodyBytes: 1024 * 1024,
  tokens: 2_000,
  aliases: 30,
  directives: 50,
  depth: 16,
  breadth: 300,
  /**
   * A field costs 1. A list multiplies the cost of its items by the most items it may hold, 10 if no argument
   * tells.
   */
  cost: 20_000,
} as const

/**
 * What a search costs beside its answer. It compares vectors and words of the whole project, while a field
 * only copies a value. So a request may hold 13 searches; 28 took 32 s.
 */
export const SEARCH_COST = 1_500

/** What every request costs, so that a flood of empty ones has a limit too: it is read, parsed and checked. */
export const REQUEST_COST = 50

/** What an export or import costs beside its events: as much as the costliest query. */
export const JOURNAL_COST = REQUEST_LIMITS.cost

/** The most projects that one search may look at: 8 cost 12,000 of a request's 20,000. */
export const PROJECTS_MAX = 8

/**
 * The cost of remembering one of many memories: it is checked, hashed, written and indexed. 4 × 500 exceed a
 * request's limit.
 */
export const REMEMBER_COST = 10

/** The most items in one page of a list. */
export const PAGE_MAX = 100

/** The length that the builder assumes for every list when it counts a query's cost. */
export const LIST_COST = 10

/**
 * The cost of a field whose argument sets the list's length. It corrects the builder, which assumes
 * `LIST_COST` items.
 * @param field the cost of the field itself
 */
export function listCost(items: number | null | undefined, field = 1): { field: number; multiplier: number } {
  return { field, multiplier: Math.max(1, (items ?? LIST_COST) / LIST_COST) }
}

/** The descriptions of arguments that name an event by its hash too. */
export const AFTER_HASH =
  'The `hash` of the event at `after`. If the journal has another event there, or none, the error is DIVERGED. That happens after a failover that lost the last moments.'

/** The description of `atLeastHash`. */
export const AT_LEAST_HASH =
  'The `hash` of the receipt. If the journal has another event there, or none, the error is DIVERGED: the acknowledged write is lost. That happens after a failover that lost the last moments.'
