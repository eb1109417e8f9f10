import { isDeepStrictEqual } from 'node:util'
import type { NewEvent, StateAfter } from './events.ts'
import type { MemoryState } from './state.ts'
import type { Writer } from './writer.ts'

/** Changes that say nothing: whoever makes them is no author of what the memory says. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['forgottenAt', 'expiresAt'])

/**
 * The event with its writer, and with the authors of the state after it: `writtenBy` is who last changed the
 * content, `editedBy` is who has changed anything else since, if somebody else has. Two, because one is not
 * enough: where an edit counts as writing, a trusted key that sets a label vouches for a text that it did not write;
 * where it does not, a key of low trust puts words into the metadata of a trusted memory.
 *
 * A state that came back has the authors that it had. The agent is the one that the request names, else the one
 * that the memory names.
 *
 * @param writer null if nobody is known: then nobody is the author of what changed
 */
export function withWriter<Event extends NewEvent>(event: Event, writer: Writer | null): Event {
  const { data } = event
  const named = writer === null ? null : withAgent(writer, data.state, data.changed)
  const state = isBroughtBack(data) ? data.state : authored(event, named)
  return { ...event, data: { ...data, state, ...(named !== null && { writer: named }) } }
}

const isBroughtBack = (data: StateAfter & { readonly restoredVersion?: number }): boolean =>
  data.restoredVersion !== undefined || data.undoneTo !== undefined

function withAgent(writer: Writer, { agent }: MemoryState, changed: readonly string[]): Writer {
  return writer.agent === undefined && agent !== null && changed.includes('agent')
    ? { ...writer, agent }
    : writer
}

function authored({ type, data: { state, changed } }: NewEvent, writer: Writer | null): MemoryState {
  const { editedBy: _, ...without } = state
  if (type === 'MemoryRemembered' || changed.some((name) => name.startsWith('content.'))) {
    const { writtenBy: __, ...content } = without
    return writer === null ? content : { ...content, writtenBy: writer }
  }
  if (changed.every((name) => SAYS_NOTHING.has(name))) return state
  return writer === null || isSame(writer, state.writtenBy) ? without : { ...without, editedBy: writer }
}

const isSame = (one: Writer, other: Writer | undefined): boolean =>
  one.key === other?.key && one.agent === other.agent

/** Whether two states have the same authors. */
export const haveSameAuthors = (one: MemoryState, other: MemoryState): boolean =>
  isDeepStrictEqual([one.writtenBy, one.editedBy], [other.writtenBy, other.editedBy])

/** The known authors of a state: who wrote its content, and who has edited it since. */
export const authorsOf = ({ writtenBy, editedBy }: MemoryState): readonly Writer[] =>
  [writtenBy, editedBy].filter((one) => one !== undefined)
