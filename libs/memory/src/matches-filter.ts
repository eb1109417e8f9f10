import { conditionsOf, type FilterCondition, type MemoryFilter } from './filter.ts'
import type { MemoryState } from './state.ts'

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
  if (value === null) return false
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
