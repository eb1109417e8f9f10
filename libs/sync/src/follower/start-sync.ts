import { DaybookError } from '@daybook/memory/errors'
import type { CommittedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import { storableError } from '@daybook/postgres/errors'
import { isFree, type LeaseOwner, leasedTo, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import { projectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, createWakeUp, startLoop, type WakeUp } from '@daybook/runtime/loop'
import type { Metrics } from '@daybook/runtime/metrics'
import { reasonOf } from '@daybook/runtime/reason-of'
import { sql } from 'kysely'
import { handOverAnswered } from '../home/hand-over.ts'
import { followProject } from './follow-project.ts'
import { type Followed, listFollowed } from './followed-projects.ts'
import type { HomeOf } from './home-client.ts'

/** What following needs. */
interface SyncOptions {
  /** Bound to no project. */
  readonly db: Database
  readonly homeOf: HomeOf
  readonly onCommitted: (projectId: string, events: readonly CommittedEvent[]) => void
  readonly logger: Logger
  readonly metrics?: Pick<Metrics, 'counter'>
  readonly activity?: Activity | undefined
  /** Milliseconds between looks at what is followed. Default 1,000. */
  readonly pollMs?: number
}

/** Running sync. */
export interface Sync {
  /** Looks at what is followed now: something has changed. */
  look(): void
  /** Something was written into a branch by this process. */
  written(): void
  stop(): Promise<void>
}

/** Milliseconds after which another process may follow a project whose process died. */
const LEASE_MS = 15_000

const RENEW_MS = 5_000

interface Task {
  /** As the project was when it began. */
  readonly before: Followed
  readonly stop: AbortController
  readonly running: Promise<void>
  readonly written: WakeUp
}

/**
 * Follows all projects that have a home elsewhere: each one in one process at a time. It rests while nothing is followed.
 */
export function startSync(options: SyncOptions): Sync {
  const { db, homeOf, onCommitted, logger, metrics, activity = ALWAYS_ACTIVE, pollMs = 1_000 } = options
  const owner: LeaseOwner = { name: newId(), leaseMs: LEASE_MS }
  const tasks = new Map<string, Task>()
  const copied = metrics?.counter({
    name: 'daybook_sync_copied_events_total',
    help: 'Events of other homes that this process has copied',
  })
  const fetched = metrics?.counter({
    name: 'daybook_sync_fetched_vectors_total',
    help: 'Texts whose vectors this process has taken from another home',
  })
  let renewedAt = 0
  const formerHomes = createFormerHomes(db, homeOf, logger)

  const begin = (before: Followed): void => {
    const { projectId } = before
    const stop = new AbortController()
    const written = createWakeUp()
    const running = followProject(projectScope(db, projectId), {
      homeOf,
      onCommitted,
      onCopied: (events) => copied?.add(events),
      onFetched: (texts) => fetched?.add(texts),
      logger,
      activity,
      written,
      signal: stop.signal,
    })
      .catch((error: unknown) =>
        logger.warn({ projectId, error }, 'following a project failed; trying again'),
      )
      .finally(() => {
        tasks.delete(projectId)
        // It may be wanted again, in another way. What failed by itself waits.
        if (stop.signal.aborted) looking.wake()
      })
    tasks.set(projectId, { before, stop, running, written })
  }

  const look = async (): Promise<number> => {
    const followed = await listFollowed(db)
    const wanted = new Map(followed.flatMap((one) => (one.paused ? [] : [[one.projectId, one]])))
    for (const [projectId, { stop, before }] of tasks)
      if (!isSameWork(before, wanted.get(projectId))) stop.abort()
    if (performance.now() - renewedAt > RENEW_MS && tasks.size > 0) {
      const kept = await renewFollowed(db, owner, [...tasks.keys()])
      for (const [projectId, { stop }] of tasks) if (!kept.has(projectId)) stop.abort()
      renewedAt = performance.now()
    }
    for (const [projectId, one] of wanted)
      if (!tasks.has(projectId) && (await takeFollowed(db, owner, projectId))) begin(one)
    await formerHomes.tell()
    const restMs = activity.interval(pollMs)
    return tasks.size > 0 ? Math.min(restMs, RENEW_MS) : restMs
  }
  const looking = startLoop(look, {
    everyMs: pollMs,
    activity,
    // Soon, however idle the process is: leases run out.
    backoff: { firstMs: pollMs, maxMs: RENEW_MS },
    onError: (error) => logger.warn({ error }, 'what is followed could not be looked at'),
  })
  return {
    look: () => looking.wake(),
    written() {
      for (const task of tasks.values()) task.written.raise()
    },
    async stop() {
      await looking.stop()
      const running = [...tasks.values()]
      for (const { stop } of running) stop.abort()
      await Promise.all(running.map((task) => task.running))
      await releaseFollowed(db, owner).catch((error: unknown) =>
        logger.info({ error }, 'leases were left to run out'),
      )
    },
  }
}

/**
 * Whether the work goes on. Another address or key of the home counts at once, and a hand-over that has to be completed, too:
 * who waits for a home that refuses it would wait on.
 */
const isSameWork = (before: Followed, now: Followed | undefined): boolean =>
  now !== undefined &&
  now.home.url === before.home.url &&
  now.home.key === before.home.key &&
  (now.takingEpoch === null || now.takingEpoch === before.takingEpoch)

/** Takes the lease on following a project. @returns false if another process has it */
export async function takeFollowed(db: Database, owner: LeaseOwner, projectId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update followed_projects f set ${leasedTo(owner)}
    where f.project_id = ${projectId} and (${isFree('f')} or f.lease_owner = ${owner.name})`.execute(db)
  return numAffectedRows > 0n
}

/** Renews leases. @returns the ids of those that are still the owner's */
export async function renewFollowed(
  db: Database,
  owner: LeaseOwner,
  projectIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ project_id: string }>`
    update followed_projects set leased_until = ${leaseEnd(owner.leaseMs)}
    where project_id = any(${projectIds}::uuid[]) and lease_owner = ${owner.name}
    returning project_id`.execute(db)
  return new Set(rows.map((row) => row.project_id))
}

/** Releases all leases of the owner. */
async function releaseFollowed(db: Database, owner: LeaseOwner): Promise<void> {
  await sql`update followed_projects set ${RELEASED} where lease_owner = ${owner.name}`.execute(db)
}

/** Milliseconds between tries. */
const TELL_MS = 10_000

/** Creates what tells lost homes that come back that their projects have another home by now, every 10 s at most. */
function createFormerHomes(db: Database, homeOf: HomeOf, logger: Logger): { tell(): Promise<void> } {
  let toldAt = -TELL_MS
  return {
    async tell() {
      if (performance.now() - toldAt < TELL_MS) return
      toldAt = performance.now()
      await tellAll(db, homeOf, logger)
    },
  }
}

/** So that they accept nothing more, and follow it. */
async function tellAll(db: Database, homeOf: HomeOf, logger: Logger): Promise<void> {
  const homes = await db.selectFrom('former_homes').selectAll().execute()
  for (const { project_id: projectId, url, key, own_url, own_key, epoch } of homes) {
    const { db: bound } = projectScope(db, projectId)
    const home = homeOf({ projectId, followerId: newId(), home: { url, key } })
    try {
      await home.ask('hand-over', { epoch, url: own_url, key: own_key, at: null }, handOverAnswered)
      await bound.deleteFrom('former_homes').where('project_id', '=', projectId).execute()
      logger.warn(
        { projectId, url, epoch },
        'the former home of a project is back, and follows this Daybook now',
      )
    } catch (error) {
      if (!(error instanceof DaybookError)) throw error
      await bound
        .updateTable('former_homes')
        .set({ problem: storableError(reasonOf(error)) })
        .where('project_id', '=', projectId)
        .execute()
    }
  }
}
