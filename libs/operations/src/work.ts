import type { ProgressMade } from './lease.ts'
import type { JsonObject, Operation } from './operation.ts'
import type { OperationType, ResultOf } from './operation-types.ts'

/** What a handler is given with an operation. */
export interface Work<Type extends OperationType = OperationType> {
  readonly operation: Operation<Type>
  /** The checkpoint of whoever worked on it before; null at the beginning. */
  readonly checkpoint: JsonObject | null
  /** The name of this process in the operation's row, for as long as it has it. */
  readonly owner: string
  /** Whether whoever worked on it before may still be at it, stalled: it did not give it back. */
  readonly takenOver: boolean
  /** Aborted when somebody cancels it, or the process stops, or the lease was lost: end soon, by throwing what it holds. */
  readonly signal: AbortSignal
  /**
   * Notes progress. A checkpoint is saved before it returns; anything else is written now and then.
   * @throws what the signal was aborted with
   */
  report(progress: ProgressMade): Promise<void>
}

/** Does one type of operation. Killed at any moment, it is called again with its last checkpoint. */
export interface OperationHandler<Type extends OperationType> {
  /** @returns the result, for whoever asked. Whatever it throws beyond unavailable parts makes the operation fail. */
  run(work: Work<Type>): Promise<ResultOf<Type>>
  /** Cleans up after an operation that was cancelled or has failed. Called again until it does not throw. */
  abandon?(work: Pick<Work<Type>, 'operation' | 'checkpoint' | 'owner'>): Promise<void>
}

/** A handler for each type. */
export type OperationHandlers = { readonly [Type in OperationType]: OperationHandler<Type> }

/** Somebody asked for the end. */
export class CancelledError extends Error {
  constructor() {
    super('the operation was cancelled')
    this.name = 'CancelledError'
  }
}

/** The process stops, or has lost the operation to another: whoever has it goes on from the checkpoint. */
export class HandedOnError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'HandedOnError'
  }
}
