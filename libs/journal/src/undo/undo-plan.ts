import type { UndoSelection } from '@daybook/memory/undo'

/** What is asked for: whose events, of which part of a project's journal. */
export interface UndoRequest extends UndoSelection {
  /** The last sequence before the moment; 0: everything is undone. */
  readonly after: number
  /** The journal's end when the undo was asked for. What comes later is not undone. */
  readonly upTo: number
}

/** Why a memory is not undone. */
export type UndoRefusal =
  /** Somebody changed it after what would be undone. */
  | 'CHANGED_SINCE'
  /** Its content was erased for good. */
  | 'ERASED'
  /** A newer Daybook wrote an event of it, or the event is damaged. */
  | 'UNREADABLE'

/** What an undo does with one memory. */
export interface UndoItem {
  /** The plain UUID. */
  readonly memoryId: string
  /** The id as clients see it, and the title; null if the memory is not readable, the title also if it is withheld. */
  readonly id: string | null
  readonly title: string | null
  /** The types of the events that are undone, oldest first. */
  readonly happened: readonly string[]
  /** The memory's version that the plan is based on. */
  readonly fromVersion: number
  /** The version whose state comes back; 0: there was none, so it is forgotten; null if it is refused. */
  readonly toVersion: number | null
  /** Whether it is out of the indexes afterwards. */
  readonly forgets: boolean
  /** Null unless it is refused. */
  readonly refused: { readonly code: UndoRefusal; readonly reason: string } | null
}
