import { requestOperation } from '@daybook/operations/request'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import { noteTriedBy, unreadByNewer } from '@daybook/projection/apply/parked-events'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { Repeated } from '@daybook/runtime/repeat'
import { type LoopOptions, watchProjections } from '../watch-projections.ts'

export interface RetryUnreadableOptions extends LoopOptions {
  /** What this process can read. Default: what this code can. */
  readonly readerVersion?: number | undefined
}

/** Who asks, in the operation's record. */
const ITSELF = 'daybook (a newer version can read more)'

/**
 * Has events applied that an older process parked since it could not read them: once a newer one is here, nobody need ask for it. An
 * operation, as for everybody who asks, so that no rebuild or verification is at work meanwhile. Each version of a reader tries
 * an event once, as what is damaged stays so.
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
    // Once it is asked for: an operation is not lost.
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
