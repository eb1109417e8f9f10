import { COMMON_FIELD_NAMES } from '../common-fields.ts'
import type { Kind } from './kind.ts'

/** The fields that every memory of any kind has, under the names used outside. */
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
  'part',
  'writtenBy',
  'editedBy',
  'trust',
  'shared',
  'quarantine',
  'supersededBy',
  'history',
  'neighbours',
] as const

/**
 * The name of a kind's own field in a flat memory, beside the fields that every memory has. A todo's
 * `context` is `contextText`, because the memory's `context` is a namespace. The rule holds for the API's
 * objects and the CLI's options.
 */
export function nameInMemory({ sameInMemory }: Pick<Kind, 'sameInMemory'>, field: string): string {
  const taken = (MEMORY_FIELD_NAMES as readonly string[]).includes(field)
  return taken && !sameInMemory.includes(field) ? `${field}Text` : field
}
