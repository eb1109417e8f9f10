import type { ComparedWord } from './compared-words.ts'

/** A place at which two texts differ. Either side may be empty. */
export interface DifferingPart {
  readonly older: readonly ComparedWord[]
  readonly newer: readonly ComparedWord[]
  /** The words that both have in front of it. */
  readonly before: readonly ComparedWord[]
  /** The word that both have next, if there is one. */
  readonly next: ComparedWord | undefined
}

/**
 * Lays two texts beside each other by their longest common subsequence of words, for the places at which they differ. It takes time as the product of their
 * lengths: 300 words each take a millisecond.
 */
export function differingParts(
  older: readonly ComparedWord[],
  newer: readonly ComparedWord[],
): readonly DifferingPart[] {
  // Numbers for words, as each is compared with each.
  const numbers = new Map<string, number>()
  const numbered = (words: readonly ComparedWord[]) =>
    Uint16Array.from(words, ({ stem }) => {
      const number = numbers.get(stem) ?? numbers.size
      numbers.set(stem, number)
      return number
    })
  const [a, b] = [numbered(older), numbered(newer)]
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1, cell = i * width + j; j >= 0; j -= 1, cell -= 1) {
      const [below, beside] = [lengths[cell + width] as number, lengths[cell + 1] as number]
      lengths[cell] =
        a[i] === b[j] ? (lengths[cell + width + 1] as number) + 1 : below > beside ? below : beside
    }
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  const isSame = (i: number, j: number) => a[i] === b[j]
  const common: ComparedWord[] = []
  const parts: DifferingPart[] = []
  let [i, j] = [0, 0]
  while (i < older.length || j < newer.length) {
    const [fromOlder, fromNewer] = [i, j]
    while ((i < older.length || j < newer.length) && !(i < older.length && j < newer.length && isSame(i, j)))
      if (j >= newer.length || (i < older.length && at(i + 1, j) >= at(i, j + 1))) i += 1
      else j += 1
    if (i > fromOlder || j > fromNewer)
      parts.push({
        older: older.slice(fromOlder, i),
        newer: newer.slice(fromNewer, j),
        before: [...common],
        next: older[i],
      })
    const word = older[i]
    if (word === undefined) break
    common.push(word)
    i += 1
    j += 1
  }
  return parts
}
