/** What a single request may ask for. Each refusal names the limit. */
export const REQUEST_LIMITS = {
  bodyBytes: 1024 * 1024,
  tokens: 4_000,
  aliases: 30,
  directives: 50,
  depth: 16,
  breadth: 300,
  /** A field costs 1; what is in a list costs ten times as much. */
  cost: 20_000,
} as const

/** Items in one page of a list. */
export const PAGE_MAX = 100
