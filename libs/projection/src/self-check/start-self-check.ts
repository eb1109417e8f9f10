import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { type Activity, ALWAYS_ACTIVE } from '@daybook/runtime/activity'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { repeat } from '@daybook/runtime/repeat'
import type { Verifiable } from '../verify/verifiable.ts'
import { lookAtProject } from './look-at-project.ts'
import { retryParked } from './retry-parked.ts'
import { addProjects, recordLook, takeDue } from './self-checks.ts'

/*
 * Finds and repairs damage that no projector comes across: rows or documents that were lost or changed after
 * they were written, texts that a memory waits for but that are in no queue, and parked events, which are
 * retried ever less often. `daybook verify` proves a whole projection; this looks at a little of it all the
 * time:
 *
 *   resting ──a project's turn──▶ looking ──nothing differs──▶ resting
 *                                    │ something differs: rewritten, recorded in `self_checks`
 *                                    └──▶ hurrying: the rest of the project, page by page ──▶ resting
 */

/** A running self-check. */
export interface SelfCheck {
  /** Finishes the current page. */
  stop(): Promise<void>
}

/** How to start a self-check. */
export interface SelfCheckOptions {
  readonly db: Database
  readonly verifiable: Verifiable
  readonly logger: Logger
  /** The least number of milliseconds between two looks at a project. 0: no looks. */
  readonly everyMs: number
  /** Whether to verify the journal's own hash chain too. One projection is enough for that. Default no. */
  readonly journal?: boolean
  readonly activity?: Activity | undefined
}

/**
 * After a look the self-check rests for this many times the look's duration, but no longer than `everyMs`.
 * However many projects there are, it takes a twentieth of the database's time; on a slow machine somewhat
 * more.
 */
const REST = 20
/** The same while hurrying. */
const HURRIED_REST = 1
/**
 * The same while nobody uses the daemon. A look at 100 of 10,000 memories costs an embedded database and its
 * daemon 150 ms of processor time, so the self-check takes 0.15 % of a core.
 */
const IDLE_REST = 1_000
/** The longest rest, in milliseconds, while nobody uses the daemon. */
export const LONGEST_IDLE_REST_MS = 120_000
/**
 * Milliseconds to wait when somebody uses the daemon again after a rest. A look would take the only
 * connection of an embedded database.
 */
const AFTER_OTHERS_MS = 1_000

/** Looks at the projects of a generation in turn, while it is live. */
export function startSelfCheck({
  db,
  verifiable,
  logger,
  everyMs,
  journal = false,
  activity = ALWAYS_ACTIVE,
}: SelfCheckOptions): SelfCheck {
  const { name: projection, generation } = verifiable
  let nextAdding = 0
  let wasIdle = false

  /** @returns how long to rest, in milliseconds */
  const look = async (signal: AbortSignal): Promise<number> => {
    if (wasIdle && !activity.isIdle()) await pause(AFTER_OTHERS_MS, signal)
    const startedAt = performance.now()
    if (startedAt >= nextAdding) {
      await addProjects(db, verifiable)
      nextAdding = startedAt + everyMs
    }
    const due = await takeDue(db, verifiable, everyMs)
    if (due === null) {
      wasIdle = activity.isIdle()
      return everyMs / 5
    }
    const { projectId } = due
    const scope = projectScope(db, projectId)
    await retryParked(scope, verifiable)
    const found = await lookAtProject(scope, verifiable, due, {
      journal,
      signal,
    })
    await recordLook(db, verifiable, projectId, found)
    const { differed, unhealed, example, journalProblem } = found
    if (journalProblem !== null) logger.error({ projectId, journalProblem }, 'the journal is damaged')
    if (differed > 0)
      logger[unhealed > 0 ? 'error' : 'warn'](
        { projection, generation, projectId, differed, unhealed, example },
        'memories differed from the journal and were rewritten',
      )
    const took = performance.now() - startedAt
    // Going through the rest of the project counts as activity.
    if (found.hurried > 0) activity.touch()
    wasIdle = activity.isIdle()
    return wasIdle
      ? Math.min(LONGEST_IDLE_REST_MS, took * IDLE_REST)
      : Math.min(everyMs, took * (found.hurried > 0 ? HURRIED_REST : REST))
  }

  if (everyMs === 0) return { stop: () => Promise.resolve() }
  return repeat(look, {
    everyMs,
    activity,
    onError: (error) =>
      logger.warn({ projection, generation, error }, 'the self-check could not look; trying again'),
  })
}
