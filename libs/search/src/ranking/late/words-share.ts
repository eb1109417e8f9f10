import { K1 } from '../bm25.ts'

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
