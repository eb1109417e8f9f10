import type { QueryTokens } from '@daybook/embeddings/embedder'
import { bytesPerToken } from '@daybook/embeddings/token-bits/token-bits'
import type { TokenMatches } from '../ranking/late/token-rows.ts'
import type { RetrieverInput } from '../retrievers/query-terms.ts'
import { startedEarly } from '../started-early.ts'
import { timed } from '../timed.ts'
import { createScorer } from './kernel/create-scorer.ts'
import type { Scorer } from './kernel/scorer.ts'
import { readTokenBits, type TokenBitsCache } from './token-bits-cache.ts'

/** What comparisons need of a search. */
type ComparisonsInput = Pick<RetrieverInput, 'scope' | 'onRetriever'>

/** Texts whose tokens were compared with the question's, by hash. A text that is not embedded yet is in neither. */
export interface ComparedTexts {
  readonly bits: ReadonlyMap<string, Uint8Array>
  readonly matches: ReadonlyMap<string, TokenMatches>
}

/** What the texts of memories match, by memory. @param hashes of the texts, by memory */
export const matchesByMemory = (
  hashes: ReadonlyMap<string, string>,
  matches: ComparedTexts['matches'],
): ReadonlyMap<string, TokenMatches> =>
  new Map(
    [...hashes].flatMap(([id, hash]) => {
      const ofText = matches.get(hash)
      return ofText === undefined ? [] : [[id, ofText] as const]
    }),
  )

/** Comparisons of one question's tokens with texts. */
export interface TokenComparisons {
  readonly scorer: Scorer
  /** Bytes of one token's bits. */
  readonly bytes: number
  /** Starts to compare those of these texts that have not been started yet. @param hashes in hexadecimal */
  begin(hashes: Iterable<string>): void
  /** All that were begun. @throws what reading one of them threw */
  all(): Promise<ComparedTexts>
}

/** Comparisons that run while retrievers still run. */
export interface EarlyComparisons {
  /** Texts to compare as soon as there is a question. @param hashes in hexadecimal */
  begin(hashes: Iterable<string>): void
  /**
   * Compares what was begun, and what will be. Whoever asks again with the same tokens gets the same.
   *
   * @param tokens the question's, at least one, of the model `modelId`
   */
  with(tokens: QueryTokens, modelId: string): TokenComparisons
}

/**
 * Lets the texts that one retriever found be compared while the other still runs.
 *
 * @param input of the search
 * @param cache token bits that need not be read. Default none
 */
export function earlyComparisons(input: ComparisonsInput, cache?: TokenBitsCache): EarlyComparisons {
  const begun = new Set<string>()
  // Another generation may be searched first, and fail: its model may be another, whose tokens come later.
  const byTokens = new Map<QueryTokens, TokenComparisons>()
  return {
    begin(hashes) {
      const wanted = [...hashes]
      for (const hash of wanted) begun.add(hash)
      for (const comparisons of byTokens.values()) comparisons.begin(wanted)
    },
    with(tokens, modelId) {
      const known = byTokens.get(tokens)
      if (known !== undefined) return known
      const comparisons = startComparisons(input, tokens, modelId, cache)
      byTokens.set(tokens, comparisons)
      comparisons.begin(begun)
      return comparisons
    },
  }
}

/**
 * Compares texts as their bits come, while Postgres looks up the next ones. It takes about a millisecond for 400
 * memories (docs/measurements.md#scoring-token-bits), so it does not leave the event loop.
 */
function startComparisons(
  { scope, onRetriever }: ComparisonsInput,
  tokens: QueryTokens,
  modelId: string,
  cache: TokenBitsCache | undefined,
): TokenComparisons {
  const dimension = tokens.states.length / tokens.words.length
  const scorer = createScorer({ tokens: tokens.words.length, dimension, states: tokens.states })
  const bytes = bytesPerToken(dimension)
  const bits = new Map<string, Uint8Array>()
  const matches = new Map<string, TokenMatches>()
  const begun = new Set<string>()
  const readings: Promise<void>[] = []
  return {
    scorer,
    bytes,
    begin(wanted) {
      const hashes = [...new Set(wanted)].filter((hash) => !begun.has(hash))
      if (hashes.length === 0) return
      for (const hash of hashes) begun.add(hash)
      const reading = timed(onRetriever, 'token-bits', () =>
        readTokenBits(scope, { modelId, hashes, cache }, (hash, read) => {
          bits.set(hash, read)
          matches.set(hash, { best: scorer.match(read), tokens: read.length / bytes })
        }),
      )
      readings.push(startedEarly(reading))
    },
    async all() {
      await Promise.all(readings)
      return { bits, matches }
    },
  }
}
