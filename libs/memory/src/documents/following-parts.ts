import { changedFields } from '../changed-fields.ts'
import { COMMON_FIELD_NAMES } from '../common-fields.ts'
import type { NewEvent } from '../events.ts'
import { newId } from '../id.ts'
import type { CommonFields, Memory, MemoryState } from '../state.ts'

/** What becomes of a document, as far as its further parts depend on it. */
export interface DocumentChange {
  /** Null if it is new. */
  readonly before: MemoryState | null
  readonly after: MemoryState
  /** The texts of the parts from the second on; null if the change leaves them as they are. */
  readonly texts: readonly (string | undefined)[] | null
  readonly now: string
}

/** How many parts a document has; 1 for any other memory. */
export const partsOf = (state: MemoryState | null | undefined): number => state?.part?.of ?? 1

/**
 * The events of a document's further parts after a change of the document, which is its first part. They have
 * its title and its common fields, so that the same filters find them. They leave the indexes with it and come
 * back with it. Parts that it no longer has are forgotten.
 *
 * @param parts the memories that are its parts, by number
 */
export function followingParts(
  { before, after, texts, now }: DocumentChange,
  parts: ReadonlyMap<number, Memory>,
): NewEvent[] {
  const events: NewEvent[] = []
  const wanted = after.forgottenAt === null ? partsOf(after) : 1
  for (let number = 2; number <= Math.max(partsOf(before), wanted); number += 1) {
    const part = parts.get(number) ?? null
    const text = texts?.[number - 2] ?? part?.state.content['content']
    const event =
      number <= wanted && typeof text === 'string'
        ? writePart(after, { number, text, part, now })
        : part && forgetPart(part, now)
    if (event !== null) events.push(event)
  }
  return events
}

function forgetPart(part: Memory, now: string): NewEvent | null {
  if (part.state.forgottenAt !== null) return null
  return next(part, 'MemoryForgotten', { ...part.state, forgottenAt: now, updatedAt: now })
}

interface WrittenPart {
  readonly number: number
  readonly text: string
  readonly part: Memory | null
  readonly now: string
}

function writePart(document: MemoryState, { number, text, part, now }: WrittenPart): NewEvent | null {
  const { title } = document.content
  const common = Object.fromEntries(
    COMMON_FIELD_NAMES.filter((name) => name !== 'supersedes').map((name) => [name, document[name]]),
  ) as Omit<CommonFields, 'supersedes'>
  const { writtenBy, editedBy, textBy } = part?.state ?? {}
  const state: MemoryState = {
    ...common,
    ...(writtenBy !== undefined && { writtenBy }),
    ...(editedBy !== undefined && { editedBy }),
    ...(textBy !== undefined && { textBy }),
    id: part?.state.id ?? newId(),
    kind: document.kind,
    content: { content: text, ...(title !== undefined && { title }) },
    createdAt: part?.state.createdAt ?? now,
    updatedAt: now,
    forgottenAt: null,
    part: { document: document.id, number },
  }
  if (part === null)
    return {
      memoryId: state.id,
      version: 1,
      type: 'MemoryRemembered',
      data: { state, changed: changedFields(null, state) },
    }
  const isBack = part.state.forgottenAt !== null
  return next(part, isBack ? 'MemoryRestored' : 'MemoryRevised', state)
}

function next(
  part: Memory,
  type: 'MemoryForgotten' | 'MemoryRestored' | 'MemoryRevised',
  state: MemoryState,
): NewEvent | null {
  const changed = changedFields(part.state, state)
  if (changed.length === 0) return null
  return { memoryId: state.id, version: part.version + 1, type, data: { state, changed } }
}
