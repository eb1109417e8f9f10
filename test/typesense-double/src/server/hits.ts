import type { Collection, Stored } from './collection.ts'
import type { Allowed } from './match-filter.ts'
import type { SearchParams } from './search-params.ts'
import { searchText, type TextHit } from './text-search.ts'
import { readVectorQuery, searchVectors } from './vector-query.ts'

/** A hit with its scores. */
export interface FoundHit {
  readonly stored: Stored
  readonly text?: TextHit
  readonly distance?: number
  /** The fused score of a hybrid search. */
  readonly fusion?: number
}

/** The hits of a search, unordered: by words, by a vector, by both, or all documents for `*`. */
export function hitsOf(collection: Collection, params: SearchParams, allowed: Allowed): FoundHit[] {
  const byWords = params.q === '*' ? null : searchText(collection, params, allowed)
  if (params.vectorQuery === '')
    return byWords === null
      ? allowed.all.map((stored) => ({ stored }))
      : [...byWords].flatMap(([seq, text]) => {
          const stored = collection.bySeq(seq)
          return stored === undefined ? [] : [{ stored, text }]
        })
  const query = readVectorQuery(collection, params.vectorQuery, params.perPage)
  const nearest = searchVectors(collection, query, allowed)
  return byWords === null ? nearest : fuse(collection, params, query.alpha, nearest, byWords)
}

/**
 * Fuses by reciprocal ranks; alpha is the vector's weight. With `rerank_hybrid_matches`, hits that only the
 * vector found get the text score of the query's words that they contain, and a rank among the others.
 */
function fuse(
  collection: Collection,
  params: SearchParams,
  alpha: number,
  nearest: readonly FoundHit[],
  byWords: ReadonlyMap<number, TextHit>,
): FoundHit[] {
  const texts = new Map(byWords)
  if (params.rerank) {
    const rest = nearest.map((hit) => hit.stored).filter(({ seq }) => !texts.has(seq))
    for (const stored of rest) {
      const found = searchText(
        collection,
        { ...params, dropTokensThreshold: 1, numTypos: 0 },
        {
          passes: (one) => one === stored,
          all: [stored],
        },
      ).get(stored.seq)
      if (found !== undefined) texts.set(stored.seq, found)
    }
  }
  const vectorRank = new Map(nearest.map((hit, index) => [hit.stored.seq, index + 1]))
  const seqs = new Set([...vectorRank.keys(), ...texts.keys()])
  const byScore = [...(params.rerank ? seqs : texts.keys())].toSorted((left, right) =>
    compare(texts.get(right)?.text.score ?? 0n, texts.get(left)?.text.score ?? 0n, right - left),
  )
  const textRank = new Map(byScore.map((seq, index) => [seq, index + 1]))
  const distances = new Map(nearest.map((hit) => [hit.stored.seq, hit.distance]))
  return [...seqs].flatMap((seq) => {
    const stored = collection.bySeq(seq)
    if (stored === undefined) return []
    const text = texts.get(seq)
    const distance = distances.get(seq)
    // The recorded scores show that only the weights and the sum are in single precision.
    const share = (weight: number, rank: number | undefined) =>
      rank === undefined ? 0 : Math.fround(weight) / rank
    return [
      {
        stored,
        fusion: Math.fround(share(1 - alpha, textRank.get(seq)) + share(alpha, vectorRank.get(seq))),
        ...(text === undefined ? {} : { text }),
        ...(distance === undefined ? {} : { distance }),
      },
    ]
  })
}

const compare = (left: bigint, right: bigint, otherwise: number) =>
  left < right ? -1 : left > right ? 1 : otherwise
