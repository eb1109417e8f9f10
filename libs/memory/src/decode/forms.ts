import { z } from 'zod'
import { isUuid } from '../id.ts'

/** The largest version that the database keeps. */
export const INT4_MAX = 2 ** 31 - 1

/** A plain UUID, in lower case whatever its spelling: the database gives it back so, and hashes are made of it. */
export const uuid = z
  .string('must be a UUID')
  .refine(isUuid, 'must be a UUID')
  .transform((id) => id.toLowerCase())

/** An object of JSON, as it is. */
export const plainObject = z.custom<{ readonly [field: string]: unknown }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
