import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { GenerationRef } from './generations/generations.ts'

/** An event that could not be applied, and why. */
export interface ParkedEvent {
  readonly sequence: number
  readonly memoryId: string
  readonly error: string
  readonly attempts: number
  /** Whether this version of Daybook cannot read the event, though a newer one may. */
  readonly unreadable?: boolean
}

/** A part of a project's journal to be applied: every event after `from`, up to and including `to`. */
export interface ProjectionBatch {
  readonly from: JournalCursor
  readonly to: JournalCursor
  /** In sequence order. Together with `parked` and `erased` they cover the whole part. */
  readonly events: readonly JournalEvent[]
  readonly parked: readonly ParkedEvent[]
  /**
   * Memories that were erased in this part. Before `events` are applied, these memories are removed with all
   * their versions and parked events. `events` and `parked` hold only what came after the erasure.
   */
  readonly erased: readonly string[]
  /**
   * Whether it is applied only if no event of the project is parked: then nobody has looked which memories have
   * one. Default no.
   */
  readonly ifNothingParked?: boolean
}

/**
 * One generation of a read model, as the projector writes it. The projector decides what is applied when; the
 * projection decides what that does to its rows.
 */
export interface Projection extends GenerationRef {
  /** The cursor of the last event applied in the project; the chain's start before the first. */
  position(scope: ProjectScope): Promise<JournalCursor>
  /**
   * Applies a batch and moves the position from `from` to `to`, both or neither.
   * @throws PositionMoved if another replica has moved the position or is about to; JournalDiverged if the
   *   journal does not have the batch's end. Nothing is changed then.
   */
  apply(scope: ProjectScope, batch: ProjectionBatch): Promise<void>
  /**
   * Goes back from its position, which the journal does not have, to an earlier one that it has. Every memory
   * that changed since becomes what it was then; new ones are removed. Works in steps, and starts again from
   * the first if it was interrupted.
   * @throws PositionMoved if the position is not `from`
   */
  rewind(
    scope: ProjectScope,
    way: { readonly from: JournalCursor; readonly to: JournalCursor },
  ): Promise<void>
  /**
   * For a projection outside the journal's database. After the database was restored to an earlier moment,
   * the projection may hold more than its position says. `unsettled` lists the projects in which that is
   * possible, `settle` removes the excess. Absent if both are in one database.
   */
  readonly outside?: {
    unsettled(): Promise<readonly string[]>
    settle(scope: ProjectScope): Promise<void>
  }
}

/**
 * Another replica of the projector was faster. This is not a failure: read the position again and go on from
 * there.
 */
export class PositionMoved extends Error {
  constructor(projection: string, expected: number) {
    super(`another replica of ${projection} is at work beyond position ${expected}`)
    this.name = 'PositionMoved'
  }
}
