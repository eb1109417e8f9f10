import type { SessionContribution } from './explanation.ts'
import type { Fused } from './fuse.ts'
import type { Neighbourhood } from './neighbours.ts'

/**
 * What a session contributes to each of its hits: σ times the score of its best candidate. A hit in a
 * conversation about the question is worth more than the same hit elsewhere. A session is all memories of one
 * context. A memory without a context is a session of its own, so the order among such memories does not
 * change.
 *
 * @param candidates what the retrievers found
 * @param contextOf the context of each candidate; undefined without one
 * @param share σ
 * @returns a function that tells what a memory's session contributes
 */
export function sessionShares(
  candidates: Iterable<Fused>,
  contextOf: (memoryId: string) => string | undefined,
  share: number,
): (own: Fused, neighbourhood: Neighbourhood | null) => SessionContribution {
  const best = new Map<string, Fused>()
  for (const candidate of candidates) {
    const context = contextOf(candidate.memoryId)
    if (context === undefined) continue
    const known = best.get(context)
    if (known === undefined || isBetter(candidate, known)) best.set(context, candidate)
  }
  return (own, neighbourhood) => {
    const { memoryId, score } = (neighbourhood !== null && best.get(neighbourhood.context)) || own
    return { memoryId, contribution: share * score }
  }
}

/** Equal scores are ordered by id, so that the order of the candidates does not matter. */
const isBetter = (one: Fused, other: Fused) =>
  one.score > other.score || (one.score === other.score && one.memoryId < other.memoryId)

/** A word in title case: a name, unless a sentence begins with it. Not `SQL` and `ApiKey`. */
const NAME = /(?<![\p{L}\p{M}\p{N}])\p{Lu}[\p{Ll}\p{M}]+(?![\p{L}\p{M}\p{N}])/gu

/** What a sentence, a quote or a heading may begin after. */
const BEGINNING = /(?:^|[.?!:;"“«(])\s*$/u

/**
 * Whether a question names somebody or something that no memory of the project mentions: words in title case
 * within a sentence. Of two people's names in "Did Ann meet Bob?" one stranger is enough: who knows Ann only
 * cannot tell.
 *
 * @param isUnknown whether a word, in lower case and without accents, is in no memory. False for what is no word
 *   of the index
 */
export function namesStranger(question: string, isUnknown: (word: string) => boolean): boolean {
  for (const { 0: name, index } of question.matchAll(NAME))
    if (!BEGINNING.test(question.slice(Math.max(0, index - 8), index)) && isUnknown(plain(name))) return true
  return false
}

const plain = (name: string) => name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

/** The pieces from which on a word is none that the model learned: "feline" has two, "zorbling" three. */
const UNHEARD_PIECES = 3

/**
 * Whether neither the model nor the project knows a question's words: they are in no memory, and the model spells
 * them. Then its vector says nothing.
 *
 * @param tokens the words of the question's tokens: each piece names its whole word
 * @param frequencies in how many memories words are; none for stop words and punctuation
 */
export function isUnheard(tokens: readonly string[], frequencies: ReadonlyMap<string, number>): boolean {
  const words = [...new Set(tokens)].filter((word) => frequencies.has(word))
  const isSpelled = (word: string) => tokens.filter((token) => token === word).length >= UNHEARD_PIECES
  return words.length > 0 && words.every((word) => frequencies.get(word) === 0 && isSpelled(word))
}
