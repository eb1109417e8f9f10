import { type ChangeObject, diffWordsWithSpace } from 'diff'
import { changedFields } from './changed-fields.ts'
import { type JsonValue, type MemoryState, textOf } from './state.ts'

/** A field that differs between two states: `content.summary`, `labels`, `forgottenAt`, … */
export interface FieldChange {
  readonly field: string
  readonly before: JsonValue
  readonly after: JsonValue
}

/** What became of a part of a text. */
export type TextChange = 'SAME' | 'REMOVED' | 'ADDED'

/** A part of a text. `SAME` and `REMOVED` together are the text before, `SAME` and `ADDED` the text after. */
export interface TextPart {
  readonly change: TextChange
  readonly text: string
}

/** What differs between two states of a memory. */
export interface StateDiff {
  readonly changed: readonly FieldChange[]
  readonly text: readonly TextPart[]
}

/**
 * The most words that may be removed and added before texts count as wholly different. The time grows with the
 * square of it (Myers, "An O(ND) Difference Algorithm", 1986).
 */
const MOST_EDITS = 1_000

/** Compares two states of a memory: fields by their values, the searched text word by word. */
export function diffStates(before: MemoryState, after: MemoryState): StateDiff {
  const changed = changedFields(before, after).map((field) => ({
    field,
    before: valueOf(before, field),
    after: valueOf(after, field),
  }))
  return { changed, text: diffTexts(textOf(before), textOf(after)) }
}

/** Null stands for a field that a state does not have, too. */
function valueOf(state: MemoryState, field: string): JsonValue {
  const [first, ...rest] = field.split('.')
  const value = first === 'content' ? state.content[rest.join('.')] : state[field as keyof MemoryState]
  return value ?? null
}

/** Compares two texts word by word; blanks count as words, so that nothing is lost. */
export function diffTexts(before: string, after: string): TextPart[] {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS })
  if (parts === undefined)
    return [
      { change: 'REMOVED', text: before },
      { change: 'ADDED', text: after },
    ]
  return parts.map((part) => ({ change: changeOf(part), text: part.value }))
}

function changeOf({ added, removed }: ChangeObject<string>): TextChange {
  if (added) return 'ADDED'
  return removed ? 'REMOVED' : 'SAME'
}
