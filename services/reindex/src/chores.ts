import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { hasEnded } from '@daybook/operations/operation'
import { removalOf, requestOperation, requestRemoval } from '@daybook/operations/request'
import { listUnfinished } from '@daybook/postgres/access/delete-project'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { noteTriedBy, unreadByNewer } from '@daybook/projection/apply/parked-events'
import { layoutProblem } from '@daybook/projection/generations/apply-to-generations'
import {
  type GenerationState,
  listGenerations,
  markUnusable,
} from '@daybook/projection/generations/generations'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, type Loop, startLoop } from '@daybook/runtime/loop'
import { removeErasedTexts } from './erased-texts.ts'
import type { Projections } from './projects.ts'
import { dropGeneration } from './reindex/drop-generation.ts'

/** What the chores need. */
export interface ChoreOptions {
  readonly db: Database
  readonly projections: Projections
  readonly logger: Logger
  /** How long an old generation is kept for a rollback, in milliseconds. */
  readonly keepOldMs: number
  /** The version that this process reads as. Default: this code's. */
  readonly readerVersion?: number | undefined
  readonly activity?: Activity | undefined
  /** Milliseconds between looks. Default 2,000. */
  readonly pollMs?: number | undefined
}

/** A projection, and its generations as they are now. */
interface ChoreProjection {
  readonly rebuildable: RebuildableProjection
  readonly generations: readonly GenerationState[]
  readonly live: GenerationState | undefined
}

/** What the log says if a chore fails, and how it is done. */
type Chore<Place extends unknown[]> = readonly [
  problem: string,
  look: (options: ChoreOptions, ...place: Place) => Promise<void>,
]

/** What is looked for in each projection. Dropping is last: it takes seconds, and what is known of the generations is old then. */
const OF_PROJECTIONS: readonly Chore<[ChoreProjection]>[] = [
  ['whether the live generation is usable could not be looked at', rebuildUnusable],
  ['what an older version could not read could not be looked for', retryUnreadable],
  ['old generations cannot be dropped now', dropOld],
]

const OF_DATABASE: readonly Chore<[]>[] = [
  ['deleted projects cannot be looked at now', resumeDeletions],
  ['erased texts cannot be removed now', ({ db }) => removeErasedTexts(db)],
]

/** Does what nobody asks for, again and again until it is stopped. */
export function startChores(options: ChoreOptions): Loop {
  const { logger, activity, pollMs = 2_000 } = options
  return startLoop((stopping) => doChores(options, stopping), {
    everyMs: pollMs,
    activity,
    onError: (error) => logger.warn({ error }, 'the generations cannot be looked at now; trying again'),
  })
}

/** Does all once, one after the other. A chore that fails keeps no other from its turn. */
export async function doChores(options: ChoreOptions, stopping?: AbortSignal): Promise<void> {
  const { db, projections, logger } = options
  const attempt = async (problem: string, work: () => Promise<void>, fields = {}): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // Another operation is at work there.
      if (error instanceof DaybookError && error.code === 'BUSY') return
      const level = error instanceof UnavailableError || isDatabaseUnavailable(error) ? 'warn' : 'error'
      logger[level]({ error, ...fields }, `${problem}; trying again`)
    }
  }
  for (const [problem, chore] of OF_DATABASE) await attempt(problem, () => chore(options))
  const all = await listGenerations(db)
  for (const [problem, chore] of OF_PROJECTIONS)
    for (const [projection, rebuildable] of projections) {
      if (stopping?.aborted === true) return
      const generations = all.filter((one) => one.projection === projection)
      const live = generations.find(({ status }) => status === 'live')
      await attempt(problem, () => chore(options, { rebuildable, generations, live }), { projection })
    }
}

/** The requesters in the operations' records. */
const UNUSABLE = 'daybook (the live generation is unusable)'
const UNREADABLE = 'daybook (a newer version can read more)'

/** Milliseconds until the first retry after a failed rebuild; doubled with each failure, up to the longest. */
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 3_600_000

/**
 * Rebuilds a live generation that can be neither written nor read: its tables are missing or different, or
 * its layout has another version. It asks for one operation per projection and waits after a failure.
 * Failures are counted from the operations' records, so a restart does not retry at once.
 */
async function rebuildUnusable(
  { db, logger }: ChoreOptions,
  { rebuildable, live }: ChoreProjection,
): Promise<void> {
  if (live === undefined) return
  const { projection, generation } = live
  const problem =
    live.unusable ??
    layoutProblem(live, rebuildable.layoutVersion) ??
    (await rebuildable.problemOf(generation))
  if (problem === null) return
  if (await markUnusable(db, live, problem))
    logger.error({ projection, generation, problem }, 'a generation is unusable')
  const failures = await failedLately(db, projection)
  // No jitter: this runs every few seconds, and the shortest of many random waits would decide.
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures.count - 1))
  if (failures.count > 0 && failures.sinceMs < waitMs) return
  await requestOperation(db, {
    type: 'reindex',
    projection,
    // A generation with parked events is better than none. They are reported as usual.
    options: { model: null, regenerateEmbeddings: false, kinds: null, projectId: null, acceptParked: true },
    requestedBy: UNUSABLE,
  })
  logger.warn({ projection, generation, problem }, 'an unusable generation is made again from the journal')
}

/** Counts the failures since the last such operation that did not fail, and how long ago the latest was. */
async function failedLately(db: Database, projection: string): Promise<{ count: number; sinceMs: number }> {
  const rows = await db
    .selectFrom('operations')
    .select(['status', 'finished_at'])
    .where('type', '=', 'reindex')
    .where('projection', '=', projection)
    .where('requested_by', '=', UNUSABLE)
    .where('finished_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(20)
    .execute()
  const other = rows.findIndex(({ status }) => status !== 'failed')
  const count = other === -1 ? rows.length : other
  return { count, sinceMs: Date.now() - Date.parse(rows[0]?.finished_at ?? '') }
}

/**
 * Retries events that an older process parked because it could not read them. It runs as an operation, so that no
 * rebuild or verification runs at the same time. Each reader version tries an event once: a damaged event stays damaged.
 */
async function retryUnreadable(
  { db, logger, readerVersion = READER_VERSION }: ChoreOptions,
  { live }: ChoreProjection,
): Promise<void> {
  if (live === undefined) return
  const { projection, generation } = live
  const place = { name: projection, generation }
  const memories = await unreadByNewer(db, place, readerVersion)
  if (memories.length === 0) return
  const memoryIds = memories.map(({ memoryId }) => memoryId)
  await requestOperation(db, {
    type: 'retry-parked',
    projection,
    options: { projectId: null, memoryIds },
    requestedBy: UNREADABLE,
  })
  // Note it only after the request: a requested operation is not lost.
  await noteTriedBy(db, place, memoryIds, readerVersion)
  logger.info(
    { projection, memories: memories.length },
    'events that an older version could not read are tried again',
  )
}

/** Deletes generations that an operator dropped, and old ones when their time is over. */
async function dropOld(
  { db, logger, keepOldMs, activity }: ChoreOptions,
  { rebuildable, generations }: ChoreProjection,
): Promise<void> {
  for (const { projection, generation, status, retiredAt } of generations) {
    const isOver = status === 'old' && Date.parse(retiredAt ?? '') < Date.now() - keepOldMs
    if (status !== 'dropping' && !isOver) continue
    // Wakes resting projectors: they must notice soon that the generation goes.
    activity?.touch()
    await dropGeneration(db, rebuildable, generation)
    logger.info({ projection, generation }, 'a generation was dropped')
  }
}

/** How long after a removal has failed another one is asked for, in milliseconds. */
const AFTER_FAILURE_MS = 30_000

/**
 * Sees to it that every deletion comes to its end: if a process died between the deletion of a project and the
 * request for the removal, or the removal has failed, another one is asked for.
 */
async function resumeDeletions({ db, logger }: ChoreOptions): Promise<void> {
  for (const deleted of await listUnfinished(db)) {
    const last = await removalOf(db, deleted.id)
    if (last !== null && !hasEnded(last)) continue
    if (Date.parse(last?.finishedAt ?? '') > Date.now() - AFTER_FAILURE_MS) continue
    await requestRemoval(db, deleted)
    logger.warn({ projectId: deleted.id }, 'the removal of a deleted project goes on')
  }
}
