import { verifyPart } from '@daybook/journal/chain/verify-journal'
import { readChangedMemories } from '@daybook/journal/read/read'
import { UnavailableError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, startLoop } from '@daybook/runtime/loop'
import { reasonOf } from '@daybook/runtime/reason-of'
import { sql } from 'kysely'
import { noteRetry } from '../apply/parked-events.ts'
import { readDivergence } from '../positions/divergence.ts'
import { readPosition } from '../positions/positions.ts'
import type { ComparedIndexes, Verifiable } from '../verify/verifiable.ts'
import { type Difference, repairProject } from '../verify/verify-project.ts'
import { addProjects, type DueProject, type Look, recordLook, takeDue } from './self-checks.ts'

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
interface SelfCheck {
  /** Finishes the current page. */
  stop(): Promise<void>
}

/** How to start a self-check. */
interface SelfCheckOptions {
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
 * The same while nobody uses the daemon, or the projector had nothing to apply. A look at 100 of 10,000 memories costs an embedded
 * database and its daemon 150 ms of processor time, so the self-check takes 0.15 % of a core.
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
      return activity.interval(everyMs / 5)
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
    return activity.interval(
      wasIdle
        ? Math.min(LONGEST_IDLE_REST_MS, took * IDLE_REST)
        : Math.min(everyMs, took * (found.hurried > 0 ? HURRIED_REST : REST)),
    )
  }

  if (everyMs === 0) return { stop: () => Promise.resolve() }
  return startLoop(look, {
    everyMs,
    activity,
    onError: (error) =>
      logger.warn({ projection, generation, error }, 'the self-check could not look; trying again'),
  })
}

/**
 * Events per stretch; a look compares the memories of two stretches. The embedded database takes about 40 ms
 * for a hundred memories, and everybody else waits meanwhile.
 */
const PAGE = 50

/**
 * In a project of at most so many events every look also compares the indexes over all memories. In a larger
 * one only a look at the end of a walk does.
 */
const SMALL = 500

/** Events after the first sequence and up to the second. */
type Stretch = readonly [number, number]

/** The result of a look that found nothing to repair. */
const UNSEEN = { differed: 0, unhealed: 0, example: null }

/** What a look covers besides the projection. */
interface LookOptions {
  /** Whether to verify the hash chain of the events too. */
  readonly journal: boolean
  readonly signal: AbortSignal
}

/**
 * Compares a part of a project with the journal: the memories of its newest events, and those of the next
 * events of a walk. The walk goes through all events and starts again at the end, where the indexes over all
 * memories are compared too. Memories that differ are rewritten and compared again. Where one differs, more
 * may: the walk then goes through the whole project without resting.
 */
export async function lookAtProject(
  scope: ProjectScope,
  verifiable: Verifiable,
  { walked, hurried }: Pick<DueProject, 'walked' | 'hurried'>,
  { journal, signal }: LookOptions,
): Promise<Look> {
  // It holds events that are not of this journal. Its projector takes it back first.
  if ((await readDivergence(scope, verifiable)) !== null)
    return { ...UNSEEN, walked, hurried, begins: false, journalProblem: null }
  const position = await readPosition(scope.db, verifiable, scope.projectId)
  const from = walked < position ? walked : 0
  const upTo = Math.min(from + PAGE, position)
  const stretches: Stretch[] = [
    [from, upTo],
    [Math.max(position - PAGE, upTo), position],
  ]
  const look = {
    walked: upTo,
    begins: from === 0,
    journalProblem: journal ? await problemOf(scope, stretches) : null,
  }
  // The indexes first: what is damaged between the two comparisons is then found, and counted, as memories.
  const indexes: ComparedIndexes =
    upTo === position || position <= SMALL
      ? await verifiable.compareIndexes(scope, signal)
      : { problems: [], memoryIds: [] }
  const differences = await differencesIn(scope, verifiable, stretches)
  for (const memoryId of indexes.memoryIds)
    if (!differences.has(memoryId)) differences.set(memoryId, { memoryId, differs: ['words'] })

  const rest = Math.max(0, hurried - PAGE)
  const found = differences.size > 0 ? differences.size : indexes.problems.length
  if (found === 0) return { ...UNSEEN, ...look, hurried: rest }
  const left = await repairProject(
    scope,
    verifiable,
    { differences: [...differences.values()], indexProblems: indexes.problems },
    { signal },
  )
  const [first] = differences.values()
  return {
    ...look,
    // A difference that cannot be repaired is no reason to hurry for ever.
    hurried: found > left.length ? position : rest,
    differed: found,
    unhealed: left.length,
    example:
      first === undefined ? (indexes.problems[0] ?? null) : `${first.memoryId} (${first.differs.join(', ')})`,
  }
}

async function problemOf(scope: ProjectScope, stretches: readonly Stretch[]): Promise<string | null> {
  for (const [after, upTo] of stretches) {
    const [problem] = after < upTo ? await verifyPart(scope, after, upTo) : []
    if (problem !== undefined) return problem.message
  }
  return null
}

async function differencesIn(
  scope: ProjectScope,
  verifiable: Verifiable,
  stretches: readonly Stretch[],
): Promise<Map<string, Difference>> {
  const ids = new Set<string>()
  for (const [after, upTo] of stretches) {
    for (const id of await readChangedMemories(scope, { after, upTo })) ids.add(id)
  }
  if (ids.size === 0) return new Map()
  const { memories } = await verifiable.compare(scope, [...ids])
  return new Map(
    memories
      .filter(({ differs }) => differs.length > 0)
      .map(({ memoryId, differs }): [string, Difference] => [memoryId, { memoryId, differs }]),
  )
}

/**
 * Seconds until events that were parked after 5 attempts are retried. The time doubles with every further
 * attempt.
 */
const FIRST_AFTER_S = 10

/** Memories retried in one look. */
const AT_A_TIME = 10

/**
 * Retries the parked events of a project that are due. By then a newer version or an operator has often
 * removed the cause. An event that fails again stays parked with its new error.
 */
async function retryParked(scope: ProjectScope, verifiable: Verifiable): Promise<void> {
  const { name, generation } = verifiable
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from parked_events
    where projection = ${name} and generation = ${generation} and project_id = ${scope.projectId} and dropped_at is null
    group by memory_id
    having max(parked_at) + make_interval(secs => ${FIRST_AFTER_S}::int * power(2, least(max(attempts), 30) - 5)) < now()
    order by max(attempts) limit ${AT_A_TIME}`.execute(scope.db)
  for (const { memory_id: memoryId } of rows)
    try {
      await verifiable.rewrite(scope, [memoryId], { unpark: true })
    } catch (error) {
      if (error instanceof UnavailableError || isDatabaseUnavailable(error)) throw error
      await noteRetry(scope, verifiable, memoryId, reasonOf(error))
    }
}
