import type { MemoryState } from './state.ts'

/**
 * How far a key is trusted, the least first. Three words and not a number, because whoever gives one must be able
 * to say what it means, and two people must give the same:
 * - `low`: it takes in what others say: web pages, mails, issues of strangers
 * - `normal`: an agent at work; every key to which nobody gave a level
 * - `high`: people, and what they have checked
 */
export const TRUST_LEVELS = ['low', 'normal', 'high'] as const
/** One of `TRUST_LEVELS`. */
export type Trust = (typeof TRUST_LEVELS)[number]

/**
 * Of a key to which nobody gave a level, and of writers that this Daybook does not know: what was written before
 * writers were noted, and imported journals. To distrust them would hide all that was remembered before.
 */
export const USUAL_TRUST: Trust = 'normal'

/** Whether a level is another one, or above it. */
export const isAtLeast = (one: Trust, least: Trust): boolean =>
  TRUST_LEVELS.indexOf(one) >= TRUST_LEVELS.indexOf(least)

/**
 * How far a memory is trusted: as far as the least trusted of its authors.
 * @param trustOf of a key, by its id
 */
export function trustIn(
  { writtenBy, editedBy, textBy = {} }: MemoryState,
  trustOf: (key: string) => Trust,
): Trust {
  const authors = [writtenBy ?? null, ...(editedBy === undefined ? [] : [editedBy]), ...Object.values(textBy)]
  const trusts = authors.map((author) => (author === null ? USUAL_TRUST : trustOf(author.key)))
  return trusts.reduce((least, one) => (isAtLeast(one, least) ? least : one))
}
