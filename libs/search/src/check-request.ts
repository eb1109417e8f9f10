import { ValidationError } from '@daybook/memory/errors'
import { characters, grouped } from '@daybook/memory/text-rules'
import { parseQuery } from './query/parse-query.ts'
import { isEmpty, type ParsedQuery } from './query/query.ts'
import { hasOperators } from './query/tokens.ts'
import {
  DEFAULT_RANKING,
  PRIOR_WEIGHT_MAX,
  PRIORS,
  type PriorWeights,
  type RankingMethod,
  type RankingOptions,
} from './ranking/options.ts'

/** The most hits that a search returns. */
export const LIMIT_MAX = 100
/** The longest query, in characters. */
export const QUERY_CHARACTERS = 4_096

/** Checks the number of hits wanted. @throws ValidationError naming the field as in the API */
export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new ValidationError('limit', `must be a whole number from 1 to ${LIMIT_MAX}`)
  return limit
}

/** Checks and parses a query. @throws ValidationError naming `field` */
export function checkQuery(field: string, text: string): ParsedQuery {
  const length = characters(text)
  if (length > QUERY_CHARACTERS)
    throw new ValidationError(
      field,
      `is too long: the limit is ${grouped(QUERY_CHARACTERS)} characters, and it has ${grouped(length)}`,
    )
  const query = parseQuery(text)
  if (!isEmpty(query)) return query
  if (query.excluded.length > 0)
    throw new ValidationError(field, 'only says what to leave out: give at least one word to look for, too')
  if (hasOperators(text))
    throw new ValidationError(
      field,
      'has only operators (OR, AND, NOT): give at least one word to look for, or quote a word that you mean ("NOT")',
    )
  throw new ValidationError(field, 'is empty: give at least one word to look for')
}

/** The ranking weights that a caller may set. Null and absent mean the default. */
export interface RankingWeights {
  /** 0 to 1. */
  readonly lexical?: number | null | undefined
  /** 0 to 1. */
  readonly vector?: number | null | undefined
  /** λ, 0 to 1. */
  readonly neighbour?: number | null | undefined
  /** σ, 0 to 1. */
  readonly session?: number | null | undefined
  /** 0 to 10, like the next two (`priors/with-priors.ts`). */
  readonly decay?: number | null | undefined
  readonly importance?: number | null | undefined
  readonly recency?: number | null | undefined
}

/**
 * Checks a caller's ranking. The first four weights are those of the ranking without late interaction, which
 * they switch off; the others count in both.
 * @throws ValidationError naming `weights` or one of its fields
 */
export function checkRanking(
  method: RankingMethod,
  weights: RankingWeights | null | undefined,
): Partial<RankingOptions> {
  if (weights == null) return { method }
  if (method === 'RRF')
    throw new ValidationError(
      'weights',
      'cannot be combined with RRF, which only counts ranks: leave them out, or use the ranking DEFAULT',
    )
  const priors = Object.fromEntries(
    PRIORS.map((name) => [name, checkPriorWeight(`weights.${name}`, weights[name] ?? 0)]),
  ) as PriorWeights
  const { lexical, vector, neighbour, session } = weights
  if ([lexical, vector, neighbour, session].every((weight) => weight == null)) return { method, priors }
  const shares = {
    lexicalWeight: checkShare('weights.lexical', weights.lexical ?? DEFAULT_RANKING.lexicalWeight),
    vectorWeight: checkShare('weights.vector', weights.vector ?? DEFAULT_RANKING.vectorWeight),
    neighbourDecay: checkShare('weights.neighbour', weights.neighbour ?? DEFAULT_RANKING.neighbourDecay),
    sessionShare: checkShare('weights.session', weights.session ?? DEFAULT_RANKING.sessionShare),
  }
  if (shares.lexicalWeight === 0 && shares.vectorWeight === 0)
    throw new ValidationError('weights', 'must not be 0 for both retrievers: nothing would be found')
  return { method, lateInteraction: false, ...shares, priors }
}

function checkPriorWeight(field: string, weight: number): number {
  if (!(weight >= 0 && weight <= PRIOR_WEIGHT_MAX))
    throw new ValidationError(field, `must be a number from 0 to ${PRIOR_WEIGHT_MAX}`)
  return weight
}

/** Checks a number from 0 to 1. @throws ValidationError naming the field */
export function checkShare(field: string, share: number): number {
  if (!(share >= 0 && share <= 1)) throw new ValidationError(field, 'must be a number from 0 to 1')
  return share
}
