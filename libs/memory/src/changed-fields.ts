import { isDeepStrictEqual } from 'node:util'
import { COMMON_FIELD_NAMES } from './common-fields.ts'
import type { MemoryState } from './state.ts'

/**
 * The names of the fields that differ between two states: `content.<field>`, the common fields,
 * `forgottenAt` and `part`, in that order. Compared with null: the fields that hold anything. Times that the journal
 * sets itself do not count.
 */
export function changedFields(before: MemoryState | null, after: MemoryState): string[] {
  const contentNames = new Set([...Object.keys(before?.content ?? {}), ...Object.keys(after.content)])
  const content = [...contentNames]
    .filter((name) => !isDeepStrictEqual(before?.content[name], after.content[name]))
    .map((name) => `content.${name}`)
  const common = [...COMMON_FIELD_NAMES, 'forgottenAt' as const, 'part' as const].filter((name) =>
    before === null ? isFilled(after[name]) : !isDeepStrictEqual(before[name] ?? null, after[name] ?? null),
  )
  return [...content, ...common]
}

function isFilled(value: unknown): boolean {
  if (value == null) return false
  return typeof value === 'object' ? Object.keys(value).length > 0 : true
}
