import { hasEnded } from '@daybook/operations/operation'
import { removalOf, requestRemoval } from '@daybook/operations/request'
import { listUnfinished } from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { type Repeated, repeat } from '@daybook/runtime/repeat'

/** What the loop needs. */
export interface ResumeDeletionsOptions {
  readonly db: Database
  readonly logger: Logger
  readonly activity?: Activity | undefined
  /** Milliseconds between looks. Default 2,000. */
  readonly pollMs?: number | undefined
}

/** How long after a removal has failed another one is asked for, in milliseconds. */
const AFTER_FAILURE_MS = 30_000

/**
 * Sees to it that every deletion comes to its end: if a process died between the deletion of a project and the
 * request for the removal, or the removal has failed, another one is asked for.
 */
export function startResumingDeletions(options: ResumeDeletionsOptions): Repeated {
  const { db, logger, pollMs = 2_000, activity } = options
  const look = async (): Promise<void> => {
    for (const deleted of await listUnfinished(db)) {
      const last = await removalOf(db, deleted.id)
      if (last !== null && !hasEnded(last)) continue
      if (Date.parse(last?.finishedAt ?? '') > Date.now() - AFTER_FAILURE_MS) continue
      await requestRemoval(db, deleted)
      logger.warn({ projectId: deleted.id }, 'the removal of a deleted project goes on')
    }
  }
  return repeat(look, {
    everyMs: pollMs,
    activity,
    onError: (error) => logger.warn({ error }, 'deleted projects cannot be looked at now; trying again'),
  })
}
