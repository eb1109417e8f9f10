import { idf, K1 } from '../bm25.ts'

/** A token of the question: one row of the scoring kernel. */
export interface WeightedToken {
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
export const weighTokens = (
  words: readonly string[],
  { documents, documentFrequency }: Frequencies,
): WeightedToken[] =>
  words.map((word) => ({ word, weight: wordWeight(word, documents, documentFrequency.get(word) ?? null) }))

/** The weights of the question's distinct words added up: what a memory with all of them could match. */
export function wholeWeight(tokens: readonly WeightedToken[]): number {
  const weights = new Map(tokens.map(({ word, weight }) => [word, weight]))
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0)
}

/**
 * The lexical retriever's score as a share of what a text could score at most, 0 to 1, that has every word of
 * the question over and over: `L / ((k1 + 1) · Σ weights of the question's words)`. Unlike a share of the
 * best hit it is absolute: a best hit that has one word of seven gets little.
 *
 * In a small project it stays low, because L is made of the project's own idf and the weights are not
 * (`PRIOR_MEMORIES`): there a shared word may be an accident.
 *
 * @param score L, BM25 with coverage; 0 if the retriever did not find the memory
 * @param whole of the question, as `wholeWeight` tells
 */
export const wordsShare = (score: number, whole: number): number =>
  whole > 0 ? Math.min(1, Math.max(0, score / ((K1 + 1) * whole))) : 0
