/**
 * What two texts must share to count as one: 8 of 10 of their three-word runs. A single word that differs among 40
 * is within that, among 20 it is not.
 */
const SHARED_RUNS = 0.8
const RUN = 3

/** Words that turn a statement round. They decide like numbers do: two texts that differ in one are two. */
const TURNS = new Set(['not', 'no', 'never', 'without', 'cannot'])

/** A text as it is compared with others. */
export interface ComparedText {
  /** Its words, folded, each between blanks: ` we met on 8 may `. */
  readonly words: string
  readonly runs: ReadonlySet<string>
  /** Its numbers and negations, sorted. */
  readonly decisive: string
}

/** Prepares a text to be compared: without case, accents and punctuation. */
export function comparedText(text: string): ComparedText {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const runs = new Set<string>()
  for (let i = 0; i + RUN <= words.length; i += 1) runs.add(words.slice(i, i + RUN).join(' '))
  const decisive = words.filter((word) => /\p{N}/u.test(word) || TURNS.has(word)).toSorted()
  return { words: ` ${words.join(' ')} `, runs, decisive: decisive.join(' ') }
}

/**
 * Whether `text` adds nothing to `known`: it says the same words, a part of them in one piece, or nearly the same
 * words with the same numbers and negations (Jaccard's index of three-word runs of at least 0.8). A text without
 * words, such as an emoji, repeats nothing.
 */
export function repeats(text: ComparedText, known: ComparedText): boolean {
  if (text.words.trim() === '') return false
  if (known.words.includes(text.words)) return true
  if (text.decisive !== known.decisive) return false
  let shared = 0
  for (const run of text.runs) if (known.runs.has(run)) shared += 1
  const all = text.runs.size + known.runs.size - shared
  return all > 0 && shared / all >= SHARED_RUNS
}
