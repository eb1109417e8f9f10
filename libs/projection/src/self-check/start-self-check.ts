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
 * Finds and mends by itself what is in no projector's way: rows or documents that went, or were changed, after they were written;
 * a text that is waited for and is in no queue; parked events, which are tried again ever more seldom. `daybook verify` proves a projection as a whole; this looks at a little of it all
 * the time:
 *
 *   resting ──a project's turn──▶ looking ──nothing differs──▶ resting
 *                                    │ something does: written anew from the journal, noted (`self_checks`)
 *                                    └──▶ hurrying: the rest of the project, page by page ──▶ resting
 */

export interface SelfCheck {
  /** Finishes the page in hand. */
  stop(): Promise<void>
}

export interface SelfCheckOptions {
  readonly db: Database
  readonly verifiable: Verifiable
  readonly logger: Logger
  /** Milliseconds between two looks at a project, at least. 0: none are made. */
  readonly everyMs: number
  /** Whether it looks at the journal's own hash chain too; one projection's is enough. Default no. */
  readonly journal?: boolean
  readonly activity?: Activity | undefined
}

/**
 * A look is followed by a rest of so many times what it took, though of no more than the time between looks at a project: however many
 * projects there are, it takes a twentieth of the database's time, and on a slow machine somewhat more.
 */
const REST = 20
/** The same while it hurries. */
const HURRIED_REST = 1
/**
 * The same while nobody asks for anything: a look at 100 of 10,000 memories takes an embedded database and its daemon 150 ms of
 * processor time, which is 0.15 % of a core so.
 */
const IDLE_REST = 1_000
/** Then it rests so many milliseconds at most. */
export const LONGEST_IDLE_REST_MS = 120_000
/** Who asks for something after a rest goes first, in milliseconds: a look takes the only connection of an embedded database. */
const AFTER_OTHERS_MS = 1_000

/** Looks at the projects of a generation in turns, for as long as it is live. */
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

  /** @returns for how long to rest, in milliseconds */
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
        'memories differed from the journal and were written anew',
      )
    const took = performance.now() - startedAt
    // The rest of the project is work like any other.
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
