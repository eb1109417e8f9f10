import { coverage, idf, termScore } from './bm25.ts'

/** A text as lexemes. */
export interface ReferenceDocument {
  readonly id: string
  /** lexeme → tf, its occurrences in the text */
  readonly lexemes: ReadonlyMap<string, number>
  /** dl: the text's lexemes with repetitions */
  readonly length: number
}

/**
 * Scores every document by the formula of `bm25.ts` in the plainest way. Lexical retrievers must agree with
 * it. For tests: it reads all documents for each question.
 *
 * @param documents all memories of one project, as n, df and avgdl are taken from them
 * @param queryLexemes lexeme → qtf, its occurrences in the question
 * @param options.coverage whether to multiply by the coverage factor: yes if a vector retriever runs too
 * @returns the documents with at least one lexeme of the question, best first, equal scores by id
 */
export function referenceBm25(
  documents: readonly ReferenceDocument[],
  queryLexemes: ReadonlyMap<string, number>,
  options: { readonly coverage: boolean },
): { id: string; score: number }[] {
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const known: { lexeme: string; queryFrequency: number; wordIdf: number }[] = []
  for (const [lexeme, queryFrequency] of queryLexemes) {
    const documentFrequency = documents.filter(({ lexemes }) => lexemes.has(lexeme)).length
    if (documentFrequency > 0) {
      known.push({ lexeme, queryFrequency, wordIdf: idf(documents.length, documentFrequency) })
    }
  }
  const questionIdf = known.reduce((sum, { wordIdf }) => sum + wordIdf, 0)

  return documents
    .flatMap(({ id, lexemes, length }) => {
      let bm25 = 0
      let matchedIdf = 0
      for (const { lexeme, queryFrequency, wordIdf } of known) {
        const termFrequency = lexemes.get(lexeme)
        if (termFrequency === undefined) continue
        bm25 += termScore(queryFrequency, wordIdf, termFrequency, length, averageLength)
        matchedIdf += wordIdf
      }
      if (matchedIdf === 0) return []
      return [{ id, score: options.coverage ? bm25 * coverage(matchedIdf, questionIdf) : bm25 }]
    })
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
