import type { ProgressMade } from './lease.ts'
import type { JsonObject, Operation } from './operation.ts'
import type { OperationType, ResultOf } from './operation-types.ts'

/** What a handler gets with an operation. */
export interface Work<Type extends OperationType = OperationType> {
  readonly operation: Operation<Type>
  /** The checkpoint of the previous worker; null at the beginning. */
  readonly checkpoint: JsonObject | null
  /** This process's name in the operation's row while it has the lease. */
  readonly owner: string
  /** Whether the previous worker may still be working, only stalled: it did not release the operation. */
  readonly takenOver: boolean
  /**
   * Aborted when the operation is cancelled, the process stops, or the lease is lost. End soon by throwing
   * its reason.
   */
  readonly signal: AbortSignal
  /**
   * Reports progress. A checkpoint or a new phase is saved before it returns; other progress is saved now and
   * then.
   * @throws the signal's reason
   */
  report(progress: ProgressMade): Promise<void>
}

/** Does one type of operation. After a kill at any moment, it is called again with its last checkpoint. */
export interface OperationHandler<Type extends OperationType> {
  /**
   * @returns the result. After a `LaterError`, or while a part is unavailable, it is called again with its last
   * checkpoint. Any other error makes the operation fail.
   */
  run(work: Work<Type>): Promise<ResultOf<Type>>
  /** Cleans up after a cancelled or failed operation. Called again until it does not throw. */
  abandon?(work: Pick<Work<Type>, 'operation' | 'checkpoint' | 'owner'>): Promise<void>
}

/** A handler for each type. */
export type OperationHandlers = { readonly [Type in OperationType]: OperationHandler<Type> }

/** The operation was cancelled. */
export class CancelledError extends Error {
  constructor() {
    super('the operation was cancelled')
    this.name = 'CancelledError'
  }
}

/** The rest of the operation must wait. Meanwhile the process works on others. */
export class LaterError extends Error {
  readonly afterMs: number

  /** @param reason what it waits for, as a sentence for operators */
  constructor(reason: string, afterMs: number) {
    super(reason)
    this.name = 'LaterError'
    this.afterMs = afterMs
  }
}

/** The process stops, or another one has taken the operation and continues from the checkpoint. */
export class HandedOnError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'HandedOnError'
  }
}
