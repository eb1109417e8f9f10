import { ValidationError } from '@daybook/memory/errors'
import { grouped } from '@daybook/memory/size-in-words'
import { characters } from '@daybook/memory/text-rules'
import { parseQuery } from './query/parse-query.ts'
import { isEmpty, type ParsedQuery } from './query/query.ts'
import { DEFAULT_RANKING, type RankingMethod, type RankingOptions } from './ranking/options.ts'

export const LIMIT_MAX = 100
export const QUERY_CHARACTERS = 4_096

/** @throws ValidationError naming the field as the API calls it */
export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new ValidationError('limit', `must be a whole number from 1 to ${LIMIT_MAX}`)
  return limit
}

/** @throws ValidationError naming `field` */
export function checkQuery(field: string, text: string): ParsedQuery {
  const length = characters(text)
  if (length > QUERY_CHARACTERS)
    throw new ValidationError(
      field,
      `is too long: the limit is ${grouped(QUERY_CHARACTERS)} characters, and it has ${grouped(length)}`,
    )
  const query = parseQuery(text)
  if (isEmpty(query)) throw new ValidationError(field, 'is empty: give at least one word to look for')
  return query
}

/** What a caller may say of the ranking; null and absent take the default. */
export interface RankingWeights {
  /** 0 to 1. */
  readonly lexical?: number | null | undefined
  /** 0 to 1. */
  readonly vector?: number | null | undefined
  /** λ, 0 to 1. */
  readonly neighbour?: number | null | undefined
  /** σ, 0 to 1. */
  readonly session?: number | null | undefined
}

/** @throws ValidationError naming `weights` or the field of it */
export function checkRanking(
  method: RankingMethod,
  weights: RankingWeights | null | undefined,
): Partial<RankingOptions> {
  if (weights == null) return { method }
  if (method === 'RRF')
    throw new ValidationError(
      'weights',
      'do not go with RRF, which counts ranks alike: leave them out, or take the ranking DEFAULT',
    )
  const shares = {
    lexicalWeight: checkShare('weights.lexical', weights.lexical ?? DEFAULT_RANKING.lexicalWeight),
    vectorWeight: checkShare('weights.vector', weights.vector ?? DEFAULT_RANKING.vectorWeight),
    neighbourDecay: checkShare('weights.neighbour', weights.neighbour ?? DEFAULT_RANKING.neighbourDecay),
    sessionShare: checkShare('weights.session', weights.session ?? DEFAULT_RANKING.sessionShare),
  }
  if (shares.lexicalWeight === 0 && shares.vectorWeight === 0)
    throw new ValidationError('weights', 'must not be 0 for both retrievers: nothing would be found')
  return { method, ...shares }
}

function checkShare(field: string, share: number): number {
  if (!(share >= 0 && share <= 1)) throw new ValidationError(field, 'must be a number from 0 to 1')
  return share
}
