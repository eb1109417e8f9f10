/**
 * What a memory that is not embedded yet would probably have, from its words alone: it must be found
 * meanwhile, neither before nor behind all others. Lines through the memories that share a word with a
 * question, in four collections (`docs/measurements.md#late-interaction`).
 *
 * @param words its value of the term `words`
 */
export function estimateMatches(words: number): { readonly own: number; readonly near: number } {
  return { own: Math.min(0.5, 0.27 + 0.8 * words), near: Math.min(0.8, 0.32 + 1.4 * words) }
}
