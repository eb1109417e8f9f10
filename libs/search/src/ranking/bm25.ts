/**
 * BM25 as `ranking.md` measured it, one function a factor, so that every lexical retriever can use or mirror the same formula:
 *
 * ```
 * bm25 = Σ qtf · idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·dl/avgdl))      over the question's distinct lexemes
 * L    = bm25 · sqrt(Σ idf of matched lexemes / Σ idf of the question's lexemes with df > 0)
 * ```
 *
 * Word statistics (n, df, avgdl) are those of one project. All scores are without a unit and not bounded above.
 *
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which
 * is never negative.
 */

/** k1: how soon repeating a word stops counting. 1.2 is the usual value. */
export const K1 = 1.2

/**
 * b: how much a long text is held against its matches, 0 (not at all) to 1. .75 is the usual value, .4 that of the
 * measured default.
 */
export const B = 0.4

/**
 * How telling a word is: `ln(1 + (n − df + .5) / (df + .5))`. Above 0 for every df from 0 to n, and the greater the rarer.
 * 0 where the statistics contradict each other (df > n), rather than a negative weight. Written as Postgres would compute
 * it, not with log1p, so that retrievers in SQL agree to the last digits.
 *
 * @param documents n, the memories of the project
 * @param documentFrequency df, how many of them contain the word
 */
export function idf(documents: number, documentFrequency: number): number {
  return Math.max(0, Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5)))
}

/**
 * How much a text is about a word: `tf·(k1 + 1) / (tf + k1·(1 − b + b·dl/avgdl))`, from 0 to below k1 + 1; 1 for a single
 * occurrence in a text of average length.
 *
 * @param termFrequency tf, occurrences of the word in the text
 * @param length dl, lexemes of the text, repetitions counted
 * @param averageLength avgdl, mean dl of the project; 0 (only empty texts) is taken as "every text is average"
 */
export function saturation(termFrequency: number, length: number, averageLength: number): number {
  const relativeLength = averageLength > 0 ? length / averageLength : 1
  return (termFrequency * (K1 + 1)) / (termFrequency + K1 * (1 - B + B * relativeLength))
}

/**
 * What one lexeme of the question adds to a text's BM25: `qtf · idf · saturation`.
 *
 * @param queryFrequency qtf, how often the question says the word
 */
export function termScore(
  queryFrequency: number,
  wordIdf: number,
  termFrequency: number,
  length: number,
  averageLength: number,
): number {
  return queryFrequency * wordIdf * saturation(termFrequency, length, averageLength)
}

/**
 * The coverage factor, 0 to 1: `sqrt(Σ idf matched / Σ idf of the question)`. A text that has most of what was asked beats
 * one that repeats a part of it: recall@10 .772 → .777 (DEV), .724 → .735 (HELD). Only when a vector retriever runs beside the
 * lexical one: the measured formula leaves it out otherwise.
 *
 * @param matchedIdf Σ idf of the question's distinct lexemes that the text contains; qtf does not count here
 * @param questionIdf Σ idf of the question's distinct lexemes that occur in the project (df > 0); where it is 0, the factor is 1
 */
export function coverage(matchedIdf: number, questionIdf: number): number {
  return questionIdf > 0 ? Math.sqrt(matchedIdf / questionIdf) : 1
}
