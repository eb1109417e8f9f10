import { COMMON_FIELD_NAMES } from '../common-fields.ts'
import type { Kind } from './kind.ts'

/** What every memory has, whatever its kind, under the names that are seen from outside. */
export const MEMORY_FIELD_NAMES = [
  'id',
  'kind',
  'title',
  'text',
  'content',
  ...COMMON_FIELD_NAMES,
  'version',
  'sequence',
  'createdAt',
  'updatedAt',
  'accessedAt',
  'accessCount',
  'decayWeight',
  'forgottenAt',
  'history',
] as const

/**
 * What a kind's own field is called in a memory, where it stands beside what every memory has: a todo's `context` is `contextText`, as
 * the memory's `context` is a namespace. Wherever a memory is shown flat this is the rule: in the API's objects, and in the options of
 * the CLI.
 */
export function nameInMemory({ sameInMemory }: Pick<Kind, 'sameInMemory'>, field: string): string {
  const taken = (MEMORY_FIELD_NAMES as readonly string[]).includes(field)
  return taken && !sameInMemory.includes(field) ? `${field}Text` : field
}
