import type { Evidence } from '../floor.ts'
import type { Retrievers } from '../fuse.ts'
import type { RetrieverHit } from '../retriever.ts'
import { type QuestionToken, wholeWeight } from './question-weights.ts'
import { wordsShare } from './words-share.ts'

/**
 * The evidence in all that the retrievers found: `evidenceOf` all hits that `rankLate` makes of it, without making
 * more hits than are shown.
 */
export function evidenceIn({ lexical, vector }: Retrievers, question: readonly QuestionToken[]): Evidence {
  const hasWords = lexical !== null && lexical.length > 0
  return {
    words: hasWords ? wordsShare(highestScore(lexical), wholeWeight(question)) : null,
    nearest: vector !== null && vector.length > 0 ? highestScore(vector) : -1,
  }
}

const highestScore = (hits: readonly RetrieverHit[]): number => Math.max(...hits.map(({ score }) => score))
