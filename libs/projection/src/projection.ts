import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { GenerationRef } from './generations/generation-ref.ts'

/** An event that could not be applied, and why. */
export interface ParkedEvent {
  readonly sequence: number
  readonly memoryId: string
  readonly error: string
  readonly attempts: number
  /** That this version of Daybook cannot read it, and a newer one may. */
  readonly unreadable?: boolean
}

/** A stretch of a project's journal on its way into a projection: everything after `from` up to and including `to`. */
export interface ProjectionBatch {
  readonly from: JournalCursor
  readonly to: JournalCursor
  /** In sequence order; together with `parked` and `erased` it covers the stretch without a gap. */
  readonly events: readonly JournalEvent[]
  readonly parked: readonly ParkedEvent[]
  /**
   * Memories that were erased in the stretch: before `events` are applied they are taken away, with all their versions, and what
   * is parked of them is forgotten. `events` and `parked` have only what came after the erasure.
   */
  readonly erased: readonly string[]
}

/**
 * One generation of a read model, as the runtime writes to it. The runtime decides what is applied when; the
 * projection decides what that does to its rows.
 */
export interface Projection extends GenerationRef {
  /** The place of the last event applied for the project; the chain's start before the first. */
  position(scope: ProjectScope): Promise<JournalCursor>
  /**
   * Applies a batch and moves the position from `from` to `to`, so that afterwards either both are done or neither is.
   * @throws PositionMoved where another replica has moved the position meanwhile or is about to; JournalDiverged where the
   * journal does not have the batch's end. Nothing is changed then.
   */
  apply(scope: ProjectScope, batch: ProjectionBatch): Promise<void>
  /**
   * Goes back from its position, which the journal does not have, to an earlier one that it has: every memory that was changed
   * since becomes what it was then, and one that was new goes. Step by step, and once more from the beginning where it broke off.
   * @throws PositionMoved where the position is not `from`
   */
  rewind(
    scope: ProjectScope,
    way: { readonly from: JournalCursor; readonly to: JournalCursor },
  ): Promise<void>
  /**
   * Of a projection that is kept outside of the journal's database: the projects in which it may hold more than its position
   * says, since the database has come back without its last moments, and what takes that away. Absent where both are one.
   */
  readonly outside?: {
    unsettled(): Promise<readonly string[]>
    settle(scope: ProjectScope): Promise<void>
  }
}

/** Another replica of the projector was faster. Not a failure: read the position again and go on from there. */
export class PositionMoved extends Error {
  constructor(projection: string, expected: number) {
    super(`another replica of ${projection} is at work beyond position ${expected}`)
    this.name = 'PositionMoved'
  }
}
