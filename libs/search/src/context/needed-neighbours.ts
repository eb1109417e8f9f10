import type { Neighbourhood } from '../ranking/neighbours.ts'

/** A question mark at the end, of whichever script, and whatever closes behind it. */
const ASKS = /[?？؟]["'”’»)\]\s]*$/u

/** Fewer words than this say little alone: "Yes, on Friday." */
const FEW_WORDS = 6

/**
 * The memories beside a hit, of its context and kind, without which it is hard to understand: the question that
 * it answers, its answer if it is a question, and what came before a hit of fewer than 6 words.
 *
 * @param textOf the text of a memory; undefined if it may not be shown
 */
export function neededNeighbours(
  hitText: string,
  { before, after }: Pick<Neighbourhood, 'before' | 'after'>,
  textOf: (id: string) => string | undefined,
): { readonly before: string | null; readonly after: string | null } {
  const [previous, next] = [before[0], after[0]]
  const previousText = previous === undefined ? undefined : textOf(previous)
  const isShort = (hitText.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < FEW_WORDS
  const wantsPrevious = previousText !== undefined && (isShort || ASKS.test(previousText))
  const wantsNext = next !== undefined && textOf(next) !== undefined && ASKS.test(hitText)
  return { before: wantsPrevious ? (previous ?? null) : null, after: wantsNext ? next : null }
}
