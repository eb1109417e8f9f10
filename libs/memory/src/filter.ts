import { z } from 'zod'
import { check } from './check.ts'
import { COMMON_FIELDS, type CommonFieldName } from './common-fields.ts'
import { ValidationError } from './errors.ts'
import { KIND_NAMES, type KindName } from './kinds/index.ts'
import type { MemoryState } from './state.ts'
import { moment, storableString } from './text-rules.ts'
import { TRUST_LEVELS, type Trust } from './trust.ts'

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
  if (field === 'kind') return kinds
  // As it is kept: any other value, or spelling of it, would match nothing.
  return comparison === 'equals' ? schemaOf(field) : CHECKS[comparison]
}

const schemaOf = (field: TextField): z.ZodType =>
  Object.hasOwn(COMMON_FIELDS, field) ? COMMON_FIELDS[field as CommonFieldName] : CHECKS.equals

/**
 * Checks a filter as given: null and an empty list mean absent, because clients send them for what nobody asked for; moments
 * may have any RFC 3339 spelling.
 * @throws ValidationError naming `filter.<field>`
 */
export function checkFilter(
  given: { readonly [Name in keyof MemoryFilter]?: unknown } | null | undefined,
): MemoryFilter {
  const present = Object.entries(given ?? {}).filter(
    ([, value]) => value != null && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(
    present.map(([name, value]) => {
      const schema = checkOf(name)
      if (schema === undefined) throw new ValidationError(`filter.${name}`, 'is not a filter')
      return [name, check(`filter.${name}`, schema, value)]
    }),
  )
}

/** The fields that hold such a value, if they are there. */
type FieldsOf<Value> = {
  [Field in keyof MemoryState]-?: NonNullable<MemoryState[Field]> extends Value ? Field : never
}[keyof MemoryState]

type MomentField = Extract<keyof MemoryState, `${string}At`>

type TextField = Exclude<FieldsOf<string>, MomentField>

/**
 * What a filter compares, and how. A state without the field passes none of them.
 * - `isOneOf`: the field is one of the given words
 * - `equals`: the field is the given text
 * - `sharesOne`, `hasAll`: the field has at least one, or all, of the given words
 * - `atLeast`: the field is the given number or more
 * - `notBefore`, `before`: the field is the given moment or later, or earlier than it
 */
export type FilterDefinition = { readonly description?: string } & (
  | { readonly comparison: 'isOneOf' | 'equals'; readonly field: TextField }
  | { readonly comparison: 'sharesOne' | 'hasAll'; readonly field: FieldsOf<readonly string[]> }
  | { readonly comparison: 'atLeast'; readonly field: FieldsOf<number> }
  | { readonly comparison: 'notBefore' | 'before'; readonly field: MomentField }
)

/**
 * Every filter of memories but `includeForgotten` and `minTrust`, by its name in the API. The checks, the API's input, and
 * the conditions in memory, in SQL and in Typesense follow from it. For a field that no other filter reads, the places where it
 * is stored are in CONTRIBUTING.md.
 */
export const FILTERS = {
  kinds: { field: 'kind', comparison: 'isOneOf' },
  labelsAny: { field: 'labels', comparison: 'sharesOne' },
  labelsAll: { field: 'labels', comparison: 'hasAll' },
  categories: { field: 'categories', comparison: 'sharesOne', description: 'At least one of them.' },
  context: { field: 'context', comparison: 'equals' },
  agent: { field: 'agent', comparison: 'equals' },
  minImportance: { field: 'importance', comparison: 'atLeast' },
  createdAfter: { field: 'createdAt', comparison: 'notBefore' },
  createdBefore: { field: 'createdAt', comparison: 'before' },
  occurredAfter: { field: 'occurredAt', comparison: 'notBefore' },
  occurredBefore: { field: 'occurredAt', comparison: 'before' },
} as const satisfies { readonly [name: string]: FilterDefinition }

/** The name of a filter. */
export type FilterName = keyof typeof FILTERS

/** A field of the state that some filter reads. */
export type FilteredField = (typeof FILTERS)[FilterName]['field']

/** What each comparison compares with. Moments are RFC 3339. */
interface Compared {
  readonly isOneOf: readonly string[]
  readonly equals: string
  readonly sharesOne: readonly string[]
  readonly hasAll: readonly string[]
  readonly atLeast: number
  readonly notBefore: string
  readonly before: string
}

/** How a filter compares. */
export type Comparison = keyof Compared

type GivenFor<Definition extends FilterDefinition> = Definition['field'] extends 'kind'
  ? readonly KindName[]
  : Compared[Definition['comparison']]

/** Selects memories. All filters must pass; an absent one does not restrict. */
export type MemoryFilter = {
  readonly [Name in FilterName]?: GivenFor<(typeof FILTERS)[Name]>
} & {
  readonly includeForgotten?: boolean
  /**
   * Only memories that are trusted so far, by the trust that their authors' keys have now (`trust.ts`). It is not
   * among the `FILTERS`, because no state says it.
   */
  readonly minTrust?: Trust
}

/** Whether the filter selects anything but all memories that are not forgotten. */
export const narrows = (filter: MemoryFilter): boolean =>
  conditionsOf(filter).some(restricts) || (filter.minTrust ?? LEAST_TRUST) !== LEAST_TRUST

/** Every memory has the least importance, and all labels of none. */
const restricts = ({ comparison, given }: FilterCondition): boolean =>
  comparison === 'atLeast' ? given > 0 : comparison !== 'hasAll' || given.length > 0

const [LEAST_TRUST] = TRUST_LEVELS

/** One filter that was given: the field, the comparison, and what it is compared with. */
export type FilterCondition = {
  readonly [How in Comparison]: {
    readonly field: FilteredField
    readonly comparison: How
    readonly given: Compared[How]
  }
}[Comparison]

/** The conditions of a filter, in the order of `FILTERS`. */
export function conditionsOf(filter: MemoryFilter): FilterCondition[] {
  return Object.entries(FILTERS).flatMap(([name, { field, comparison }]) => {
    const given = filter[name as FilterName]
    return given === undefined ? [] : [{ field, comparison, given } as FilterCondition]
  })
}

/**
 * Whether the filter selects a state. The read model says the same in SQL
 * (`libs/engines/pgvector/src/read/filter.ts`); a test compares the two. `includeForgotten` is ignored here:
 * a stream of events shows a memory being forgotten. So is `minTrust`, which no state tells (`trust.ts`).
 */
export function matchesFilter(state: MemoryState, filter: MemoryFilter): boolean {
  return conditionsOf(filter).every((condition) => holds(state[condition.field], condition))
}

function holds(
  value: MemoryState[FilterCondition['field']],
  { comparison, given }: FilterCondition,
): boolean {
  if (value == null) return false
  switch (comparison) {
    case 'isOneOf':
      return given.includes(value as string)
    case 'equals':
      return value === given
    case 'sharesOne':
      return given.some((word) => (value as readonly string[]).includes(word))
    case 'hasAll':
      return given.every((word) => (value as readonly string[]).includes(word))
    case 'atLeast':
      return (value as number) >= given
    case 'notBefore':
      return Date.parse(value as string) >= Date.parse(given)
    case 'before':
      return Date.parse(value as string) < Date.parse(given)
  }
}
