import type { Command } from '@daybook/memory/commands'
import { COMMON_FIELD_NAMES } from '@daybook/memory/common-fields'
import type { JournalEvent } from '@daybook/memory/events'
import { kindNamed } from '@daybook/memory/kinds/index'
import type { MemoryState } from '@daybook/memory/state'

/**
 * The command that would make the same change again, for an event that the home's journal does not have: the home lost it,
 * or was not the home any more when it wrote it.
 *
 * @param partTexts the texts of the further parts of a new document
 * @returns null for events that follow from others: of a document's further parts, and expiries
 */
export function commandOfEvent(event: JournalEvent, partTexts: readonly string[]): Command | null {
  const { state, changed, undoneTo } = event.data
  const id = event.memoryId
  const before = event.version - 1
  if (state.part !== undefined && state.part.number > 1) return null
  if (undoneTo !== undefined) return { type: 'undo', id, toVersion: undoneTo, expectedVersion: before }
  switch (event.type) {
    case 'MemoryRemembered':
      return {
        type: 'remember',
        id,
        input: {
          ...Object.fromEntries(
            COMMON_FIELD_NAMES.flatMap((name) => (state[name] == null ? [] : [[name, state[name]]])),
          ),
          content: contentOf(state),
          ...(partTexts.length > 0 && { furtherParts: partTexts }),
        },
      }
    case 'MemoryForgotten':
      return { type: 'forget', id, expectedVersion: before }
    case 'MemoryExpired':
      return null
    case 'MemoryRestored': {
      const { restoredVersion } = event.data
      return {
        type: 'restore',
        id,
        expectedVersion: before,
        ...(restoredVersion !== undefined && { version: restoredVersion }),
      }
    }
    case 'MemoryRevised':
      return changed.includes('content.resolvedAt')
        ? {
            type: state.content['resolvedAt'] === undefined ? 'reopenTodo' : 'resolveTodo',
            id,
            expectedVersion: before,
          }
        : { type: 'revise', id, expectedVersion: before, input: revisionOf(state, changed) }
  }
}

/** The content as an input: what only transitions set is left out. */
function contentOf({ kind, content }: MemoryState) {
  const known = kindNamed(kind).fields
  return {
    kind,
    fields: Object.fromEntries(Object.entries(content).filter(([name]) => Object.hasOwn(known, name))),
  }
}

/** What a revision changed, with its new values; null empties a field. */
function revisionOf(state: MemoryState, changed: readonly string[]) {
  const common = COMMON_FIELD_NAMES.filter((name) => changed.includes(name)).map((name) => [
    name,
    state[name] ?? null,
  ])
  const fields = changed
    .filter((name) => name.startsWith('content.'))
    .map((name) => name.slice('content.'.length))
    .map((name) => [name, state.content[name] ?? null])
  return {
    ...Object.fromEntries(common),
    ...(fields.length > 0 && { content: { kind: state.kind, fields: Object.fromEntries(fields) } }),
  }
}
