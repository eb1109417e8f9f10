import { appendAsAnother } from '@daybook/journal/testing/append-as-another'
import { newId } from '@daybook/memory/id'
import type { MemoryState } from '@daybook/memory/state'
import { noteState } from '@daybook/memory/testing/note-state'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/**
 * Appends a note that has expired, and nobody has noticed: Daybook was not running then. Remembering such a
 * note is refused.
 */
export function appendExpired(scope: ProjectScope, more: Partial<MemoryState>) {
  const state = noteState({ id: newId(), expiresAt: '2020-01-01T00:00:00.000Z', ...more })
  const data = { state, changed: [] }
  return appendAsAnother(scope, { type: 'MemoryRemembered', data, memoryId: state.id })
}
