import { z } from 'zod'
import { check } from './check.ts'
import { ValidationError } from './errors.ts'
import { type Comparison, FILTERS, type FilterName, type MemoryFilter } from './filter.ts'
import { KIND_NAMES } from './kinds/index.ts'
import { moment, storableString } from './text-rules.ts'
import { TRUST_LEVELS } from './trust.ts'

const wordList = z.array(storableString)
const CHECKS: { readonly [How in Comparison]: z.ZodType } = {
  isOneOf: wordList,
  equals: storableString,
  sharesOne: wordList,
  hasAll: wordList,
  atLeast: z.number(),
  notBefore: moment,
  before: moment,
}

const kinds = z.array(
  z.enum(KIND_NAMES, `must be kinds out of ${KIND_NAMES.join(', ')}`),
  'must be a list of kinds',
)

/** The check of what is given for a filter; undefined if there is no such filter. */
function checkOf(name: string): z.ZodType | undefined {
  if (name === 'includeForgotten') return z.boolean()
  if (name === 'minTrust') return z.enum(TRUST_LEVELS, `must be one of ${TRUST_LEVELS.join(', ')}`)
  if (!Object.hasOwn(FILTERS, name)) return undefined
  const { field, comparison } = FILTERS[name as FilterName]
  return field === 'kind' ? kinds : CHECKS[comparison]
}

/**
 * Checks a filter as given: null means absent, moments may have any RFC 3339 spelling.
 * @throws ValidationError naming `filter.<field>`
 */
export function checkFilter(
  given: { readonly [Name in keyof MemoryFilter]?: unknown } | null | undefined,
): MemoryFilter {
  const present = Object.entries(given ?? {}).filter(([, value]) => value != null)
  return Object.fromEntries(
    present.map(([name, value]) => {
      const schema = checkOf(name)
      if (schema === undefined) throw new ValidationError(`filter.${name}`, 'is not a filter')
      return [name, check(`filter.${name}`, schema, value)]
    }),
  )
}
