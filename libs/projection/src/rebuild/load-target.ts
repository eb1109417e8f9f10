import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { ParkedEvent } from '../projection.ts'

/** A memory as a rebuild loads it: as it was after its newest event at the head that is loaded up to. */
export interface LoadedMemory {
  /** 1, 2, 3, … in the order in which the project's memories first appeared. */
  readonly number: number
  readonly firstSequence: number
  readonly newest: JournalEvent
}

/** Some memories of a project, and some of their events. A memory comes once, its events perhaps in several batches. */
export interface LoadBatch {
  readonly memories: readonly LoadedMemory[]
  /** Each memory's in the order of its versions. */
  readonly events: readonly JournalEvent[]
  /** What cannot be loaded, to be noted as parked. */
  readonly parked: readonly ParkedEvent[]
}

/**
 * A generation that is being built, as the loader fills it. Every call may come again after a crash, with the same content,
 * and calls of one project may come at the same time.
 */
export interface LoadTarget {
  load(scope: ProjectScope, batch: LoadBatch): Promise<void>
  /** All memories with these numbers, first and last included, have been loaded. */
  endPage(scope: ProjectScope, first: number, last: number): Promise<void>
  /** Everything up to `head` has been loaded, `memories` of them: the position is `head` from here on. */
  endProject(
    scope: ProjectScope,
    loaded: { readonly head: JournalCursor; readonly memories: number },
  ): Promise<void>
}
