/** An indexed word that matches a word of the query. */
export interface Leaf {
  readonly word: string
  /** 2 for each typo, and 1 more if only the beginning matches. */
  readonly cost: number
}

/** How the words of a query match one field of one document. */
export interface FieldMatch {
  /** 0-based index in `query_by`. */
  readonly fieldAt: number
  /** Query word → the matching word of the text, and its positions. */
  readonly words: ReadonlyMap<number, { readonly leaf: Leaf; readonly positions: readonly number[] }>
  /** Whether the field holds these words and no others. */
  readonly exact: boolean
}

/** The score of a document, with its parts. */
export interface TextScore {
  readonly score: bigint
  readonly bestFieldScore: bigint
  readonly bestFieldWeight: number
  readonly fieldsMatched: number
  readonly tokensMatched: number
  readonly cost: number
}

/**
 * The server's `text_match` in mode `max_score`, derived from recorded values. From the highest bits: words
 * found, the best field's score, that field's weight (15 for the first), the number of fields. A field's
 * score, from the highest bits: words, words again, 255 − typos, 100 − distance, exactness.
 */
export function textScore(matches: readonly FieldMatch[]): TextScore {
  const found = new Set(matches.flatMap((match) => [...match.words.keys()]))
  // Only fields that match the words as well as the best one count.
  const scored = matches.map((match) => ({ match, ...fieldScore(match) }))
  const best = scored.reduce((left, right) => (right.score > left.score ? right : left))
  const weight = 15 - best.match.fieldAt
  const fieldsMatched = scored.filter((one) => one.cost <= best.cost).length
  return {
    score:
      (BigInt(found.size) << 59n) |
      (best.score << 11n) |
      (BigInt(weight) << 3n) |
      BigInt(Math.min(fieldsMatched, 7)),
    bestFieldScore: best.score,
    bestFieldWeight: weight,
    fieldsMatched,
    tokensMatched: found.size,
    cost: best.cost,
  }
}

function fieldScore({ words, exact }: FieldMatch): { score: bigint; cost: number } {
  const cost = [...words.values()].reduce((sum, { leaf }) => sum + leaf.cost, 0)
  const count = BigInt(words.size)
  const nearness = BigInt(100 - Math.min(distance([...words.values()].map((one) => one.positions)), 100))
  return {
    cost,
    score:
      (count << 40n) |
      (count << 32n) |
      (BigInt(255 - Math.min(cost, 255)) << 24n) |
      (nearness << 16n) |
      (exact ? 1n << 8n : 0n),
  }
}

/** The distance of the closest positions at which all words occur: 0 for one word, 1 for neighbours. */
function distance(positions: readonly (readonly number[])[]): number {
  if (positions.length < 2) return 0
  const all = positions.flatMap((places, word) => places.map((place) => ({ place, word })))
  all.sort((left, right) => left.place - right.place)
  let least = Number.POSITIVE_INFINITY
  const last = new Map<number, number>()
  for (const { place, word } of all) {
    last.set(word, place)
    if (last.size === positions.length) least = Math.min(least, place - Math.min(...last.values()))
  }
  return least - (positions.length - 2)
}
