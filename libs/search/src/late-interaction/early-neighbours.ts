import type { QueryTokens } from '@daybook/embeddings/embedder'
import { questionTokens } from '../ranking/late/question-weights.ts'
import { PROMISING, promisingCandidates } from '../ranking/late/rank-late.ts'
import type { RankingOptions } from '../ranking/options.ts'
import { type FoundMemory, hashesOf } from '../ranking/retriever.ts'
import type { NeighbourLookups } from '../retrievers/postgres/neighbours-retriever.ts'
import { matchesByMemory, type TokenComparisons } from './token-comparisons.ts'
import type { WordFrequencies } from './word-frequencies.ts'

/**
 * The words' hits whose neighbours are looked up before the nearest are known. Half of those that will be looked up in
 * the end: about so many of them are the words' hits.
 */
const EARLY = PROMISING / 2

/** A question that is compared token by token. */
export interface QuestionAsked {
  readonly tokens: QueryTokens
  readonly frequencies: Promise<WordFrequencies>
  /** Those of the words' hits have begun. */
  readonly comparisons: TokenComparisons
}

/** Lookups of neighbours that begin while the vector retriever still runs. */
export interface EarlyNeighbours {
  /** The lexical retriever's hits. */
  onWords(hits: readonly FoundMemory[]): void
  /** The question; null if it is not compared token by token. */
  onTokens(question: QuestionAsked | null): void
}

/**
 * Looks up the neighbours of words' hits as soon as it is known which of them count: all of them where no tokens are
 * compared, or if they are few, else the most promising.
 */
export function earlyNeighbours({
  neighbours,
  options,
  atOnce,
}: {
  readonly neighbours: NeighbourLookups
  readonly options: RankingOptions
  /** Whether the database answers several statements at once. With one session the vector retriever would wait. */
  readonly atOnce: boolean
}): EarlyNeighbours {
  let words: readonly FoundMemory[] | undefined
  let question: QuestionAsked | null | undefined
  const begin = async () => {
    if (words === undefined || question === undefined) return
    if (question === null || words.length <= EARLY)
      return neighbours.begin(words.map(({ memoryId }) => memoryId))
    if (!atOnce) return
    const { tokens, frequencies, comparisons } = question
    const [known, compared] = await Promise.all([frequencies, comparisons.all()])
    const promising = promisingCandidates({
      lexical: words,
      vector: null,
      question: questionTokens(tokens.words, known),
      matches: matchesByMemory(hashesOf(words), compared.matches),
      isSpokenByNamed: () => false,
      timeMatch: () => 0,
      candidatesPerRetriever: options.candidatesPerRetriever,
      without: options.without,
    })
    neighbours.begin(promising.slice(0, EARLY))
  }
  // What fails here fails again for whoever waits for it: the frequencies and comparisons are the search's own.
  const tryToBegin = () => void begin().catch(() => {})
  return {
    onWords(hits) {
      words = hits
      tryToBegin()
    },
    onTokens(asked) {
      question = asked
      tryToBegin()
    },
  }
}
