import { idf } from '../bm25.ts'

/** A token of the question: one row of the scoring kernel. */
export interface QuestionToken {
  /** The word that it is a piece of, in lower case. */
  readonly word: string
  /** How telling the word is, ≥ 0: see `wordWeight`. Every piece of a word has the word's weight. */
  readonly weight: number
}

/**
 * The weight of a word without statistics: a stop word. Questions are made of such words ("who", "when"), so
 * 0 loses .01 recall on the bundled questions, and 2 loses as much on LoCoMo.
 */
export const STOP_WORD_WEIGHT = 1

/**
 * Memories that are added to the project's own when a word's weight is computed, none of which has the word.
 * In five memories every word is rare or frequent by accident; with a hundred more, all of them weigh about
 * the same. Any number from 50 to 200 does; in large projects it changes nothing.
 */
export const PRIOR_MEMORIES = 100

/** A word with a letter or a digit; anything else is punctuation. */
const WORD = /[\p{L}\p{N}]/u

/**
 * How telling a word of the question is: its idf (`bm25.ts`) among the project's memories and
 * `PRIOR_MEMORIES` more. 0 for punctuation.
 *
 * @param memories n, the memories of the project
 * @param documentFrequency how many of them contain the word's lexeme (its rarest one, if it has several); null
 *   if it has no lexeme, because it is a stop word or punctuation
 */
export function wordWeight(word: string, memories: number, documentFrequency: number | null): number {
  if (documentFrequency !== null) return idf(memories + PRIOR_MEMORIES, documentFrequency)
  return WORD.test(word) ? STOP_WORD_WEIGHT : 0
}

/** In how many of a project's memories the question's words are. */
interface Frequencies {
  readonly documents: number
  readonly documentFrequency: ReadonlyMap<string, number>
}

/** The tokens of the question with their weights. @param words the word of each token */
export const questionTokens = (
  words: readonly string[],
  { documents, documentFrequency }: Frequencies,
): QuestionToken[] =>
  words.map((word) => ({ word, weight: wordWeight(word, documents, documentFrequency.get(word) ?? null) }))

/** The weights of the question's distinct words added up: what a memory with all of them could match. */
export function wholeWeight(question: readonly QuestionToken[]): number {
  const weights = new Map(question.map(({ word, weight }) => [word, weight]))
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0)
}
