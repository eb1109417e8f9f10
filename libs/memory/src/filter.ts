import { z } from 'zod'
import { check } from './check.ts'
import { ValidationError } from './errors.ts'
import { KIND_NAMES, type KindName } from './kinds/index.ts'
import type { MemoryState } from './state.ts'
import { moment, storableString } from './text-rules.ts'

/**
 * Selects memories. An absent field does not restrict; times are RFC 3339, "after" is inclusive, "before"
 * exclusive.
 */
export interface MemoryFilter {
  readonly kinds?: readonly KindName[]
  readonly labelsAny?: readonly string[]
  readonly labelsAll?: readonly string[]
  readonly categories?: readonly string[]
  readonly minImportance?: number
  readonly context?: string
  readonly agent?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly occurredAfter?: string
  readonly occurredBefore?: string
  readonly includeForgotten?: boolean
}

const shares = (wanted: readonly string[] | undefined, has: readonly string[]) =>
  wanted === undefined || wanted.some((word) => has.includes(word))

function isWithin(given: string | null, after: string | undefined, before: string | undefined): boolean {
  if (after === undefined && before === undefined) return true
  if (given === null) return false
  const time = Date.parse(given)
  return (
    (after === undefined || time >= Date.parse(after)) && (before === undefined || time < Date.parse(before))
  )
}

/**
 * Whether the filter selects a state. The read model says the same in SQL
 * (`libs/engines/pgvector/src/read/filter.ts`); a test compares the two. `includeForgotten` is ignored here:
 * a stream of events shows a memory being forgotten.
 */
export function matchesFilter(state: MemoryState, filter: MemoryFilter): boolean {
  return (
    (filter.kinds === undefined || filter.kinds.includes(state.kind)) &&
    shares(filter.labelsAny, state.labels) &&
    (filter.labelsAll ?? []).every((label) => state.labels.includes(label)) &&
    shares(filter.categories, state.categories) &&
    (filter.minImportance === undefined || state.importance >= filter.minImportance) &&
    (filter.context === undefined || state.context === filter.context) &&
    (filter.agent === undefined || state.agent === filter.agent) &&
    isWithin(state.createdAt, filter.createdAfter, filter.createdBefore) &&
    isWithin(state.occurredAt, filter.occurredAfter, filter.occurredBefore)
  )
}

const CHECKS = {
  kinds: z.array(
    z.enum(KIND_NAMES, `must be kinds out of ${KIND_NAMES.join(', ')}`),
    'must be a list of kinds',
  ),
  labelsAny: z.array(storableString),
  labelsAll: z.array(storableString),
  categories: z.array(storableString),
  minImportance: z.number(),
  context: storableString,
  agent: storableString,
  createdAfter: moment,
  createdBefore: moment,
  occurredAfter: moment,
  occurredBefore: moment,
  includeForgotten: z.boolean(),
} satisfies { [Name in keyof Required<MemoryFilter>]: z.ZodType }

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
      if (!Object.hasOwn(CHECKS, name)) throw new ValidationError(`filter.${name}`, 'is not a filter')
      return [name, check(`filter.${name}`, CHECKS[name as keyof MemoryFilter], value)]
    }),
  )
}
