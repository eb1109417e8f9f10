import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { ParkedEvent } from '../projection.ts'

/** A memory as a rebuild loads it: as of the head that is loaded up to. */
export interface LoadedMemory {
  /** 1, 2, 3, … in the order of the memories' first events in the project. */
  readonly number: number
  /** The sequence of the memory's first event. */
  readonly firstSequence: number
  readonly newest: JournalEvent
}

/**
 * Some memories of a project with their events. A memory appears in one batch; its events may be spread over
 * several.
 */
export interface LoadBatch {
  /** The event before the first of `events` if that is of the same memory; it was in the batch before. */
  readonly before: JournalEvent | null
  readonly memories: readonly LoadedMemory[]
  /** Each memory's events in the order of its versions. */
  readonly events: readonly JournalEvent[]
  /** Events that cannot be loaded and are to be parked. */
  readonly parked: readonly ParkedEvent[]
}

/**
 * A generation that is being built, as the loader fills it. After a crash every call may be repeated with the
 * same content. Calls for one project may run at the same time.
 */
export interface LoadTarget {
  load(scope: ProjectScope, batch: LoadBatch): Promise<void>
  /** All memories from number `first` to number `last`, both included, have been loaded. */
  endPage(scope: ProjectScope, first: number, last: number): Promise<void>
  /** Everything up to `head`, `memories` in all, has been loaded. From now on the position is `head`. */
  endProject(
    scope: ProjectScope,
    loaded: { readonly head: JournalCursor; readonly memories: number },
  ): Promise<void>
}
