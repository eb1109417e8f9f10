import { requestOperation } from '@daybook/operations/request'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import { noteTriedBy, unreadByNewer } from '@daybook/projection/apply/parked-events'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { Repeated } from '@daybook/runtime/repeat'
import { type LoopOptions, watchProjections } from '../watch-projections.ts'

/** The parts and settings for retrying unreadable events. */
export interface RetryUnreadableOptions extends LoopOptions {
  /** The version that this process reads as. Default: this code's. */
  readonly readerVersion?: number | undefined
}

/** The requester in the operation's record. */
const ITSELF = 'daybook (a newer version can read more)'

/**
 * Retries events that an older process parked because it could not read them. Nobody needs to ask for it. It
 * runs as an operation, so that no rebuild or verification runs at the same time. Each reader version tries
 * an event once: a damaged event stays damaged.
 */
export function startRetryingUnreadable(options: RetryUnreadableOptions): Repeated {
  const { db, projections, logger, readerVersion = READER_VERSION, pollMs = 2_000, activity } = options

  const look = async (projection: string): Promise<void> => {
    const live = await liveGeneration(db, projection)
    if (live === null) return
    const place = { name: projection, generation: live.generation }
    const memories = await unreadByNewer(db, place, readerVersion)
    if (memories.length === 0) return
    const memoryIds = memories.map(({ memoryId }) => memoryId)
    await requestOperation(db, {
      type: 'retry-parked',
      projection,
      options: { projectId: null, memoryIds },
      requestedBy: ITSELF,
    })
    // Note it only after the request: a requested operation is not lost.
    await noteTriedBy(db, place, memoryIds, readerVersion)
    logger.info(
      { projection, memories: memories.length },
      'events that an older version could not read are tried again',
    )
  }

  return watchProjections(
    {
      projections,
      logger,
      pollMs,
      activity,
      problem: 'what an older version could not read could not be looked for; trying again',
    },
    (_, projection) => look(projection),
  )
}
