import { isDeepStrictEqual } from 'node:util'
import { COMMON_FIELD_NAMES, type CommonFieldName } from './common-fields.ts'
import type { MemoryState } from './state.ts'

/** Fields of a state that say what it is, and when and by whom it was written. */
type Told = 'id' | 'kind' | 'content' | 'createdAt' | 'updatedAt' | 'writtenBy' | 'editedBy' | 'textBy'

/** All other fields: the compiler names a new one. */
const OTHERS = { forgottenAt: true, part: true } satisfies Record<
  Exclude<keyof MemoryState, CommonFieldName | Told>,
  true
>

const COMPARED = [...COMMON_FIELD_NAMES, ...(Object.keys(OTHERS) as (keyof typeof OTHERS)[])]

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
  const common = COMPARED.filter((name) =>
    before === null ? isFilled(after[name]) : !isDeepStrictEqual(before[name] ?? null, after[name] ?? null),
  )
  return [...content, ...common]
}

/** Whether a field of a state holds anything. Older states lack later fields. */
export function isFilled(value: unknown): boolean {
  if (value == null) return false
  return typeof value === 'object' ? Object.keys(value).length > 0 : true
}
