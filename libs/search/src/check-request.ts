import { ValidationError } from '@daybook/memory/errors'
import { characters } from '@daybook/memory/text-rules'
import { parseQuery } from './query/parse-query.ts'
import { isEmpty, type ParsedQuery } from './query/query.ts'

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
  if (characters(text) > QUERY_CHARACTERS)
    throw new ValidationError(field, `is too long: the limit is ${QUERY_CHARACTERS} characters`)
  const query = parseQuery(text)
  if (isEmpty(query)) throw new ValidationError(field, 'is empty: give at least one word to look for')
  return query
}
