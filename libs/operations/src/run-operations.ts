import { hostname } from 'node:os'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { LeaseOwner } from '@daybook/postgres/lease'
import { backoffDelay } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, type Loop, startLoop } from '@daybook/runtime/loop'
import { reasonOf } from '@daybook/runtime/reason-of'
import {
  type End,
  finishOperation,
  type LeasedOperation,
  type LeaseState,
  leaseOperation,
  type ProgressMade,
  releaseOperation,
  renewLease,
  saveProgress,
} from './lease.ts'
import type { JsonObject, Operation } from './operation.ts'
import type { OperationType, ResultOf } from './operation-types.ts'

/** The options of `startOperations`. */
interface OperationsOptions {
  readonly db: Database
  readonly logger: Logger
  readonly handlers: OperationHandlers
  /** Projections that this process can work on. */
  readonly projections: readonly string[]
  /** Milliseconds after which another process may take a dead one's operation. Default 10,000. */
  readonly leaseMs?: number | undefined
  /** Milliseconds between polls for new operations. Default 500. */
  readonly pollMs?: number | undefined
  /** Touched while an operation is running. */
  readonly activity?: Activity | undefined
}

/** Progress without a checkpoint is written at most this often, in milliseconds. */
const PROGRESS_MS = 250

/**
 * Works on the operations, one at a time. Several processes share them. A stop releases the current one, so that another
 * process, or the next start, continues it.
 */
export function startOperations(options: OperationsOptions): Loop {
  const { db, logger, handlers, projections, leaseMs = 10_000, pollMs = 500 } = options
  const { activity = ALWAYS_ACTIVE } = options
  const owner: LeaseOwner = { name: `${hostname()} ${process.pid} ${newId()}`, leaseMs }

  const work = async <Type extends OperationType>(
    taken: LeasedOperation<Type>,
    failures: number,
    stopping: AbortSignal,
  ): Promise<boolean> => {
    const { operation } = taken
    const handler = handlers[operation.type]
    const held = holdOperation(db, owner, taken, stopping, activity)
    const fields = { operation: operation.id, type: operation.type, projection: operation.projection }
    const end = async (how: End): Promise<void> => {
      // If another process has taken it, cleaning up is no longer our job.
      if (how.status !== 'succeeded' && (await renewLease(db, owner, operation.id)) === null) return
      if (how.status !== 'succeeded')
        await handler.abandon?.({ operation, checkpoint: held.checkpoint(), owner: owner.name })
      await finishOperation(db, owner, operation.id, how)
    }
    logger.info(fields, taken.checkpoint === null ? 'an operation begins' : 'an operation continues')
    try {
      if (operation.cancelRequested) throw new CancelledError()
      const result = await handler.run(held.work)
      await end({ status: 'succeeded', result })
      logger.info(fields, 'an operation has succeeded')
      return true
    } catch (error) {
      const cause = held.work.signal.aborted ? held.work.signal.reason : error
      if (cause instanceof HandedOnError) {
        await releaseOperation(db, owner, operation.id, { afterMs: 0, waitingFor: null }).catch(() => {})
        return true
      }
      if (cause instanceof LaterError) {
        const waitingFor = `waiting: ${cause.message}`
        await releaseOperation(db, owner, operation.id, { afterMs: cause.afterMs, waitingFor }).catch(
          () => {},
        )
        return true
      }
      if (cause instanceof CancelledError) {
        await end({ status: 'cancelled' })
        logger.info(fields, 'an operation was cancelled')
        return true
      }
      if (isUnavailable(error)) {
        logger.warn({ ...fields, error }, 'an operation waits for a part that is unavailable')
        const waitingFor = `waiting: ${(error as Error).message}`
        await releaseOperation(db, owner, operation.id, {
          afterMs: backoffDelay(failures, WAIT),
          waitingFor,
        }).catch(() => {})
        return false
      }
      logger.error({ ...fields, error }, 'an operation has failed')
      await end({ status: 'failed', error: reasonOf(error) })
      return true
    } finally {
      held.stop()
    }
  }

  let failures = 0
  return startLoop(
    async (stopping) => {
      const taken = await leaseOperation(db, owner, projections)
      if (taken === null) return undefined
      failures = (await work(taken, failures, stopping)) ? 0 : failures + 1
      return 0
    },
    {
      everyMs: pollMs,
      activity,
      backoff: WAIT,
      onError: (error) => logger.warn({ error }, 'operations cannot be worked on; trying again'),
    },
  )
}

const WAIT = { firstMs: 500, maxMs: 15_000 }

const isUnavailable = (error: unknown) => error instanceof UnavailableError || isDatabaseUnavailable(error)

/** Keeps the lease of an operation, and tells its handler when to end. */
function holdOperation<Type extends OperationType>(
  db: Database,
  owner: LeaseOwner,
  { operation, checkpoint, takenOver }: LeasedOperation<Type>,
  stopping: AbortSignal,
  activity: Activity,
) {
  const { id } = operation
  const ended = new AbortController()
  let latest = checkpoint
  let unsaved: ProgressMade = {}
  let savedAt = 0

  const heed = (state: LeaseState): void => {
    if (state === null) ended.abort(new HandedOnError('another process has taken the operation'))
    else if (state.cancelRequested) ended.abort(new CancelledError())
  }
  const onStop = () => ended.abort(new HandedOnError('the process stops'))
  if (stopping.aborted) onStop()
  stopping.addEventListener('abort', onStop)
  activity.touch()
  // At least three times per lease, so that one slow statement does not lose it.
  const renewing = setInterval(
    () => {
      activity.touch()
      void renewLease(db, owner, id).then(heed, () => {})
    },
    Math.min(1_000, owner.leaseMs / 3),
  )

  const work: Work<Type> = {
    operation,
    checkpoint,
    owner: owner.name,
    takenOver,
    signal: ended.signal,
    async report(progress) {
      ended.signal.throwIfAborted()
      unsaved = { ...unsaved, ...progress }
      if (progress.checkpoint !== undefined) latest = progress.checkpoint
      const due = progress.checkpoint !== undefined || progress.phase !== undefined
      if (!due && performance.now() - savedAt < PROGRESS_MS) return
      const saving = unsaved
      unsaved = {}
      savedAt = performance.now()
      heed(await saveProgress(db, owner, id, saving))
      ended.signal.throwIfAborted()
    },
  }
  return {
    work,
    checkpoint: () => latest,
    stop() {
      clearInterval(renewing)
      stopping.removeEventListener('abort', onStop)
    },
  }
}

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
class CancelledError extends Error {
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
