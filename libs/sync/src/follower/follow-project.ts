import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { CommittedEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, createWakeUp, type WakeUp } from '@daybook/runtime/loop'
import { readBranchSize } from '../branch/branch-commands.ts'
import { rebaseBranch, rebaseIfLeft } from '../branch/rebase-branch.ts'
import { sendBranch } from '../branch/send-branch.ts'
import { CopyMoved } from './apply-home-events.ts'
import { copyJournal, findCommon, untilCopied } from './copy-journal.ts'
import { createVectorFetcher, type VectorFetcher } from './fetch-vectors.ts'
import { type Followed, readFollowed, updateFollowed } from './followed-projects.ts'
import type { HomeClient, HomeOf } from './home-client.ts'
import { finishTaking } from './promote.ts'
import { retreat } from './retreat.ts'
import { HomeRefused, NeedsPerson, stateAfter } from './state-after.ts'

/** What following a project needs. */
export interface FollowOptions {
  readonly homeOf: HomeOf
  readonly onCommitted: (projectId: string, events: readonly CommittedEvent[]) => void
  readonly onCopied: (events: number) => void
  /** Called with how many texts got their vectors from the home. */
  readonly onFetched: (texts: number) => void
  readonly logger: Logger
  /** While nothing happens in this process, it looks at the branch less often. */
  readonly activity: Activity
  /** Raised when something was written into the branch by this process. */
  readonly written: WakeUp
  readonly signal: AbortSignal
}

/** Milliseconds between tries, at first and at most: a home that is back is followed within 5 s. */
const RETRY = { firstMs: 200, maxMs: 3_000 }
/** Milliseconds between looks at the branch: other processes write into it too. */
const BRANCH_MS = 500
/** Longer than any connection takes: the largest delay that a timer knows, some 24 days. */
const LONG_MS = 2 ** 31 - 1
/** Milliseconds until a home that refuses is asked again. */
const REFUSED_MS = 30_000

/**
 * Follows a project until the signal is aborted:
 *
 *   offline ──home answers──▶ copying ──everything is here──▶ connected
 *      ▲                         │  └──branch not empty: sent to the home, in order──┘  │
 *      └──────home breaks off────┴──────────────────────────────────────────────────────┘
 *
 * A home that does not have what is here is met by going back to the last event that both have (`retreat.ts`), once a person
 * has allowed that.
 */
export async function followProject(scope: ProjectScope, options: FollowOptions): Promise<void> {
  const { homeOf, logger, signal } = options
  const about = { projectId: scope.projectId }
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const followed = await readFollowed(scope)
    if (followed === null || followed.paused) return
    const home = homeOf(followed)
    const session = new AbortController()
    const end = () => session.abort()
    // It may have been aborted while the database was read.
    if (signal.aborted) return
    signal.addEventListener('abort', end, { once: true })
    const ended = session.signal
    const connected = createWakeUp()
    const sending = sendWhenConnected(scope, home, connected, { ...options, signal: ended })
    try {
      if (await isTaken(scope, home, followed, options)) return
      await copyJournal(scope, {
        ...options,
        home,
        signal: ended,
        vectors: await vectorsFor(scope, home, { ...options, signal: ended }),
        onConnected: () => {
          attempt = 0
          connected.raise()
        },
      })
      return
    } catch (error) {
      if (signal.aborted) return
      const waitMs = await settleFailure(scope, home, error, options)
      if (waitMs !== null) {
        logger.info({ ...about, error }, 'a followed project has no connection to its home')
        await pause(Math.max(waitMs, backoffDelay(attempt, RETRY)), signal)
      }
    } finally {
      signal.removeEventListener('abort', end)
      session.abort()
      await sending
    }
  }
}

/** Completes a hand-over whose answer was lost. @returns whether this Daybook is the home now */
async function isTaken(
  scope: ProjectScope,
  home: HomeClient,
  { takingEpoch, own }: Followed,
  { onCommitted, logger }: FollowOptions,
): Promise<boolean> {
  if (takingEpoch === null || own === null) return false
  const promoted = await finishTaking(scope, home, own, takingEpoch)
  if (promoted === null) return false
  logger.warn(
    { projectId: scope.projectId, epoch: takingEpoch },
    'this Daybook is the home of the project now',
  )
  onCommitted(scope.projectId, promoted.events)
  return true
}

/** Fetches vectors of the model that the live generation has. */
async function vectorsFor(
  scope: ProjectScope,
  home: HomeClient,
  options: Parameters<typeof createVectorFetcher>[3],
): Promise<VectorFetcher | null> {
  const live = await scope.db
    .selectFrom('generations')
    .select(['model_id as modelId', 'dimension'])
    .where('status', '=', 'live')
    .orderBy('projection')
    .executeTakeFirst()
  return live === undefined ? null : createVectorFetcher(scope, home, live, options)
}

/** @returns milliseconds to wait before the next try; null: none */
async function settleFailure(
  scope: ProjectScope,
  home: HomeClient,
  error: unknown,
  { logger, onCommitted }: FollowOptions,
): Promise<number | null> {
  let failure = error
  if (error instanceof DaybookError && error.code === 'DIVERGED')
    try {
      return await goBack(scope, home, logger, onCommitted)
    } catch (again) {
      failure = again
    }
  // Another process had the lease for a moment; or somebody follows it elsewhere from now on.
  if (failure instanceof CopyMoved) return 0
  const change = stateAfter(failure)
  await updateFollowed(scope, change).catch((again: unknown) =>
    logger.warn(
      { projectId: scope.projectId, error: again },
      'the state of a followed project could not be noted',
    ),
  )
  return change.state === 'OFFLINE' ? 0 : REFUSED_MS
}

async function goBack(
  scope: ProjectScope,
  home: HomeClient,
  logger: Logger,
  onCommitted: FollowOptions['onCommitted'],
): Promise<null> {
  const followed = await readFollowed(scope)
  if (followed === null) return null
  const common = await findCommon(scope, home, followed.copied)
  if (common === 0 && followed.copied.sequence > 0)
    throw new HomeRefused(
      'the home has none of the events that are here: it is another journal, or was made again. Promote this Daybook if it has the journal that counts, or stop following',
    )
  if (common === followed.copied.sequence) throw new UnavailableError('the home has what is here after all')
  // What the home has confirmed is not given up because it says something else now: it may be another one.
  if (!followed.mayGoBack)
    throw new NeedsPerson(
      `the home does not have the events ${common + 1} to ${followed.copied.sequence} any more, which it had confirmed. If that is right, let this copy go back, and send their changes to it again: daybook sync resume --go-back`,
    )
  const { events, commands, replayed } = await retreat(scope, common)
  logger.warn(
    { projectId: scope.projectId, common, events, commands },
    'the home does not have events that are here: they are taken back, and their changes go into the branch, to be sent to it',
  )
  onCommitted(scope.projectId, replayed)
  return null
}

/** Sends what waits in the branch while the home is connected. */
async function sendWhenConnected(
  scope: ProjectScope,
  home: HomeClient,
  connected: WakeUp,
  { logger, onCommitted, activity, written, signal }: FollowOptions,
): Promise<void> {
  await connected.wait(LONG_MS, signal)
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { waiting } = await readBranchSize(scope.db, scope.projectId)
      const followed = await readFollowed(scope)
      if (followed === null) return
      // Whoever follows ends this soon; what is written from now on must not be sent until then.
      if (followed.paused) {
        await written.wait(activity.interval(BRANCH_MS), signal)
        continue
      }
      if (waiting === 0) {
        const replayed = await rebaseIfLeft(scope)
        if (replayed.length > 0) onCommitted(scope.projectId, replayed)
        await written.wait(activity.interval(BRANCH_MS), signal)
        continue
      }
      const { withoutEvent, upTo } = await sendBranch(scope, home, followed.rule, signal)
      if (withoutEvent > 0) {
        await untilCopied(scope, upTo, { signal })
        onCommitted(scope.projectId, await rebaseBranch(scope))
      }
      failures = 0
    } catch (error) {
      if (error instanceof NeedsPerson) return void (await updateFollowed(scope, stateAfter(error)))
      logger.info({ projectId: scope.projectId, error }, 'the branch could not be sent; trying again')
      failures += 1
      await pause(backoffDelay(failures, RETRY), signal)
    }
  }
}
