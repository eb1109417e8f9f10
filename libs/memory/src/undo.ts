import type { EventType } from './events.ts'
import { conditionsOf, type MemoryFilter, matchesFilter } from './filter.ts'
import type { MemoryState } from './state.ts'
import type { Writer } from './writer.ts'

/*
 * What an undo takes back. It is about events: those that were recorded since a moment and that the selection
 * covers. A memory goes back to the version before its first covered event, if everything that happened to it
 * from there on is covered too; else the undo would take back what somebody else did, and is refused for this
 * memory.
 *
 * Two kinds of events count as if they had not happened:
 * - expiries, because an undo does not turn back the clock
 * - what an earlier undo did that this one does not cover, together with what it took back
 */

/** Whose events, and on which memories. All conditions must hold; null does not restrict. */
export interface UndoSelection {
  /**
   * Of the memory. The agent is compared with the state after the event, everything else with the states
   * before and after, so that a memory that was moved out of a context comes back into it.
   */
  readonly filter: MemoryFilter
  /** The name of the API key that wrote the event. */
  readonly actor: string | null
  /** Of the request, or of the operation: an earlier undo is taken back by its id. */
  readonly correlationId: string | null
  /** Who wrote the event (`authors.ts`). Absent or null: whoever. */
  readonly writer?: WriterSelection | null
}

/** Writers: of these keys, or who said to be this agent. */
export interface WriterSelection {
  /** Ids of keys. */
  readonly keys: readonly string[]
  readonly agent: string | null
}

/** Who caused an event. */
interface Cause {
  readonly actor: string | null
  readonly correlationId: string | null
  /** Undefined if it is not known. */
  readonly writer?: Writer | undefined
}

/** Whether the selection names anything at all. */
export function namesAnything({ filter, actor, correlationId, writer }: UndoSelection): boolean {
  return actor !== null || correlationId !== null || writer != null || namesStates(filter)
}

/** Whether a filter restricts the states that it selects. An undo is of forgotten memories too. */
export function namesStates(filter: MemoryFilter): boolean {
  return conditionsOf(filter).length > 0
}

/** Whether the event's author and request are selected. */
export function coversCause({ actor, correlationId, writer }: UndoSelection, cause: Cause): boolean {
  return (
    (actor === null || actor === cause.actor) &&
    (correlationId === null || correlationId === cause.correlationId) &&
    (writer == null || isSelected(writer, cause.writer))
  )
}

/** Whether the writer is one of the selected. */
export const isSelected = ({ keys, agent }: WriterSelection, writer: Writer | undefined): boolean =>
  writer !== undefined && (keys.includes(writer.key) || (agent !== null && writer.agent === agent))

/** Whether the selection covers an event. @param before null: there was no memory */
export function covers(
  selection: UndoSelection,
  cause: Cause,
  { before, after }: { readonly before: MemoryState | null; readonly after: MemoryState },
): boolean {
  if (!coversCause(selection, cause)) return false
  const { agent, ...filter } = selection.filter
  if (agent !== undefined && after.agent !== agent) return false
  return matchesFilter(after, filter) || (before !== null && matchesFilter(before, filter))
}

/** What must be known of an event since the moment. */
export interface UndoneEvent {
  readonly version: number
  readonly type: EventType
  readonly covered: boolean
  /** Whether it only ticked something off, or opened it again. Default no. */
  readonly onlyStatus?: boolean
  /** See `StateAfter`. */
  readonly undoneTo?: number | undefined
}

/** What becomes of one memory: it goes back to a version (0: there was none), or may not. */
export type UndoTarget<Event> =
  | { readonly toVersion: number; readonly covered: readonly Event[] }
  | { readonly changedBy: Event; readonly covered: readonly Event[] }

/**
 * Decides about one memory.
 * @param events all its events since the moment, oldest first
 * @returns null if none of them is covered
 */
export function undoTarget<Event extends UndoneEvent>(events: readonly Event[]): UndoTarget<Event> | null {
  const standing: Event[] = []
  for (const event of events) {
    if (event.type === 'MemoryExpired') continue
    const { undoneTo } = event
    if (event.covered || undoneTo === undefined) standing.push(event)
    else while ((standing.at(-1)?.version ?? 0) > undoneTo) standing.pop()
  }
  const first = standing.findIndex((event) => event.covered)
  const [from, ...rest] = standing.slice(first)
  if (first === -1 || from === undefined) return null
  // Of what was never remembered, nobody's tick is lost.
  const isNew = from.version === 1
  const changedBy = rest.find((event) => !event.covered && !(isNew && event.onlyStatus === true))
  const covered = [from, ...rest].filter((event) => event.covered)
  return changedBy === undefined ? { toVersion: from.version - 1, covered } : { changedBy, covered }
}
