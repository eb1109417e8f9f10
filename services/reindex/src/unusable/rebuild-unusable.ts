import { requestOperation } from '@daybook/operations/request'
import type { Database } from '@daybook/postgres/connect'
import { layoutProblem } from '@daybook/projection/generations/apply-to-generations'
import { liveGenerationState, markUnusable } from '@daybook/projection/generations/generations'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import type { Repeated } from '@daybook/runtime/repeat'
import { type LoopOptions, watchProjections } from '../watch-projections.ts'

/** The requester in the operation's record. */
const ITSELF = 'daybook (the live generation is unusable)'

/** Milliseconds until the first retry after a failure; doubled with each failure, up to the longest. */
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 3_600_000

/**
 * Rebuilds a live generation that can be neither written nor read: its tables are missing or different, or
 * its layout has another version. It asks for one operation per projection and waits after a failure.
 * Failures are counted from the operations' records, so a restart does not retry at once.
 */
export function startRebuildingUnusable(options: LoopOptions): Repeated {
  const { db, projections, logger, pollMs = 2_000, activity } = options

  const look = async (rebuildable: RebuildableProjection): Promise<void> => {
    const live = await liveGenerationState(db, rebuildable.name)
    if (live === null) return
    const fields = { projection: live.projection, generation: live.generation }
    const problem =
      live.unusable ??
      layoutProblem(live, rebuildable.layoutVersion) ??
      (await rebuildable.problemOf(live.generation))
    if (problem === null) return
    if (await markUnusable(db, live, problem))
      logger.error({ ...fields, problem }, 'a generation is unusable')
    const failures = await failedLately(db, rebuildable.name)
    // No jitter: this runs every few seconds, and the shortest of many random waits would decide.
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures.count - 1))
    if (failures.count > 0 && failures.sinceMs < waitMs) return
    await requestRebuild(rebuildable.name)
    logger.warn({ ...fields, problem }, 'an unusable generation is made again from the journal')
  }

  const requestRebuild = (projection: string) =>
    requestOperation(db, {
      type: 'reindex',
      projection,
      // A generation with parked events is better than none. They are reported as usual.
      options: {
        model: null,
        regenerateEmbeddings: false,
        kinds: null,
        projectId: null,
        acceptParked: true,
      },
      requestedBy: ITSELF,
    })

  return watchProjections(
    {
      projections,
      logger,
      pollMs,
      activity,
      problem: 'whether the live generation is usable could not be looked at; trying again',
    },
    look,
  )
}

/** Counts the failures since the last such operation that did not fail, and how long ago the latest was. */
async function failedLately(db: Database, projection: string): Promise<{ count: number; sinceMs: number }> {
  const rows = await db
    .selectFrom('operations')
    .select(['status', 'finished_at'])
    .where('type', '=', 'reindex')
    .where('projection', '=', projection)
    .where('requested_by', '=', ITSELF)
    .where('finished_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute()
  const other = rows.findIndex(({ status }) => status !== 'failed')
  const count = other === -1 ? rows.length : other
  return { count, sinceMs: Date.now() - Date.parse(rows[0]?.finished_at ?? '') }
}
