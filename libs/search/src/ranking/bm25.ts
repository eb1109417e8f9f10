/**
 * BM25, with one function per factor, so that every lexical retriever can use or mirror the same formula:
 *
 * ```
 * bm25 = Σ qtf · idf · tf·(k1 + 1) / (tf + k1·(1 − b + b·dl/avgdl))      over the question's distinct lexemes
 * L    = bm25 · sqrt(Σ idf of matched lexemes / Σ idf of the question's lexemes with df > 0)
 * ```
 *
 * Word statistics (n, df, avgdl) are those of one project. Scores have no unit and no upper bound.
 *
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
 * Lucene's idf, which is never negative.
 */

/** k1: how quickly repetitions of a word stop counting. 1.2 is the usual value. */
export const K1 = 1.2

/**
 * b: how much a text's length reduces its score, from 0 (not at all) to 1. The usual value is .75; .4 was
 * best as measured.
 */
export const B = 0.4

/**
 * How telling a word is: `ln(1 + (n − df + .5) / (df + .5))`. Above 0 for every df from 0 to n, and greater
 * for rarer words. 0 if the statistics contradict each other (df > n), rather than a negative weight. Written
 * as Postgres computes it, not with log1p, so that retrievers in SQL agree to the last digit.
 *
 * @param documents n, the memories of the project
 * @param documentFrequency df, how many of them contain the word
 */
export function idf(documents: number, documentFrequency: number): number {
  return Math.max(0, Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5)))
}

/**
 * How much a text is about a word: `tf·(k1 + 1) / (tf + k1·(1 − b + b·dl/avgdl))`, from 0 to below k1 + 1. A
 * single occurrence in a text of average length gives 1.
 *
 * @param termFrequency tf, occurrences of the word in the text
 * @param length dl, the text's lexemes with repetitions
 * @param averageLength avgdl, the project's mean dl; with 0 (only empty texts) every text counts as average
 */
export function saturation(termFrequency: number, length: number, averageLength: number): number {
  const relativeLength = averageLength > 0 ? length / averageLength : 1
  return (termFrequency * (K1 + 1)) / (termFrequency + K1 * (1 - B + B * relativeLength))
}

/**
 * What one lexeme of the question adds to a text's BM25: `qtf · idf · saturation`.
 *
 * @param queryFrequency qtf, how often the word occurs in the question
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
 * The coverage factor, 0 to 1: `sqrt(Σ idf matched / Σ idf of the question)`. With it, a text that contains
 * most of the question beats one that repeats a part of it (`docs/measurements.md#ranking-on-locomo`). Use it
 * only if a vector retriever runs beside the lexical one; otherwise the measured formula leaves it out.
 *
 * @param matchedIdf Σ idf of the question's distinct lexemes that the text contains; qtf does not count here
 * @param questionIdf Σ idf of the question's distinct lexemes that occur in the project (df > 0); if it is 0,
 *   the factor is 1
 */
export function coverage(matchedIdf: number, questionIdf: number): number {
  return questionIdf > 0 ? Math.sqrt(matchedIdf / questionIdf) : 1
}
