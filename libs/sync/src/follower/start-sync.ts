import type { CommittedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import type { LeaseOwner } from '@daybook/postgres/lease'
import { projectScope } from '@daybook/postgres/project-scope'
import { type Activity, ALWAYS_ACTIVE } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import type { Metrics } from '@daybook/runtime/metrics'
import { repeat } from '@daybook/runtime/repeat'
import { createWakeUp, type WakeUp } from '@daybook/runtime/wake-up'
import { followProject } from './follow-project.ts'
import { type Followed, listFollowed } from './followed-projects.ts'
import type { HomeOf } from './home-client.ts'
import { releaseFollowed, renewFollowed, takeFollowed } from './lease.ts'
import { createFormerHomes } from './tell-former-homes.ts'

/** What following needs. */
export interface SyncOptions {
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
  const wake = createWakeUp()
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
        if (stop.signal.aborted) wake.raise()
      })
    tasks.set(projectId, { before, stop, running, written })
  }

  const look = async (): Promise<void> => {
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
  }
  const looking = repeat(
    async (signal) => {
      await look()
      const restMs = activity.interval(pollMs)
      if (!signal.aborted) await wake.wait(tasks.size > 0 ? Math.min(restMs, RENEW_MS) : restMs)
      return 0
    },
    {
      everyMs: pollMs,
      onError: (error) => logger.warn({ error }, 'what is followed could not be looked at'),
    },
  )
  const leave = activity.onActive(() => wake.raise())
  return {
    look: () => wake.raise(),
    written() {
      for (const task of tasks.values()) task.written.raise()
    },
    async stop() {
      leave()
      const stopped = looking.stop()
      wake.raise()
      await stopped
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
