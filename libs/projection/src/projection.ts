import type { JournalEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/** An event that could not be applied, and why. */
export interface ParkedEvent {
  readonly sequence: number
  readonly memoryId: string
  readonly error: string
  readonly attempts: number
}

/** A stretch of a project's journal on its way into a projection: everything after `from` up to and including `to`. */
export interface ProjectionBatch {
  readonly from: number
  readonly to: number
  /** In sequence order; together with `parked` it covers the stretch without a gap. */
  readonly events: readonly JournalEvent[]
  readonly parked: readonly ParkedEvent[]
}

/**
 * One generation of a read model, as the runtime posts to it. The runtime decides what is applied when; the
 * projection decides what that does to its rows.
 */
export interface Projection {
  /** `pgvector`, `typesense` */
  readonly name: string
  readonly generation: number
  /** The last sequence applied for the project; 0 before the first. */
  position(scope: ProjectScope): Promise<number>
  /**
   * Applies a batch and moves the position from `from` to `to`, so that afterwards either both are done or neither is.
   * @throws PositionMoved where another replica has moved the position meanwhile or is about to; nothing is changed then.
   */
  apply(scope: ProjectScope, batch: ProjectionBatch): Promise<void>
}

/** Another replica of the projector was faster. Not a failure: read the position again and go on from there. */
export class PositionMoved extends Error {
  constructor(projection: string, expected: number) {
    super(`another replica of ${projection} is at work beyond position ${expected}`)
    this.name = 'PositionMoved'
  }
}
