import { DaybookError } from '@daybook/memory/errors'
import { type Access, opens, readOpenKeys } from '@daybook/postgres/access/api-keys'
import { readOpenSessions } from '@daybook/postgres/access/console-sessions'
import { deletedAmong, ProjectDeletedError } from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { type EndingIterator, endingIterator } from '@daybook/runtime/ending-iterator'
import type { Logger } from '@daybook/runtime/logger'
import { startLoop, UNTIL_WOKEN } from '@daybook/runtime/loop'
import type { Metrics } from '@daybook/runtime/metrics'
import { REFUSALS } from '../authenticate.ts'
import type { KeyStreams } from '../http/key-budget.ts'

/**
 * How often to check the keys of open subscriptions, in milliseconds. With the check itself, a revoked key
 * ends within 5 s.
 */
export const KEYS_MS = 2_000

/** How many subscriptions may be open at a time. */
interface SubscriptionLimits {
  /** On one connection: a WebSocket carries many, SSE one. */
  readonly perConnection: number
  /** With one key, over all connections of this gateway. */
  readonly perKey: number
}

/** The owner of a subscription. */
interface Subscriber {
  readonly access: Access
  /** Identifies the connection: any object that belongs to that connection alone. */
  readonly connection: object
}

/** The subscriptions that this gateway serves. */
export interface OpenSubscriptions {
  /**
   * Begins a subscription. It ends when its client leaves, its key is revoked or expires, or the gateway
   * stops.
   * @throws DaybookError TOO_MANY_SUBSCRIPTIONS, TOO_MANY_STREAMS
   */
  open<T>(
    subscriber: Subscriber,
    generate: (ended: AbortSignal) => AsyncGenerator<T, void>,
  ): AsyncIterableIterator<T>
  /**
   * Calls `end` once the key is revoked or has expired, for other things that last, such as connections.
   * @returns a function that ends the hold
   */
  hold(access: Access, end: () => void): () => void
  /** Ends all subscriptions when the gateway stops. */
  stop(): Promise<void>
}

interface OpenSubscription {
  readonly access: Access
  readonly iterator: EndingIterator<unknown>
}

interface StreamSlot {
  readonly access: Access
  readonly end: () => void
}

/**
 * Counts, limits and ends subscriptions. One statement checks the keys of all open ones, so that a revoked
 * key gets no more events after 5 s.
 */
export function createOpenSubscriptions({
  db,
  limits,
  logger,
  metrics,
  streams,
  sessionIdleMs,
  onKeysChanged,
}: {
  readonly db: Database
  readonly limits: SubscriptionLimits
  readonly logger: Logger
  readonly metrics: Metrics
  readonly streams: KeyStreams
  /** After how long without a request a session of the console ends, in milliseconds. */
  readonly sessionIdleMs: number
  /** Called when keys no longer open what they opened. */
  onKeysChanged(): void
}): OpenSubscriptions {
  const served = metrics.gauge({
    name: 'daybook_subscriptions_open',
    help: 'Subscriptions that this process serves',
  })
  const all = new Set<OpenSubscription>()
  const holds = new Set<StreamSlot>()
  const ofKey = new Map<string, number>()
  const ofConnection = new WeakMap<object, number>()
  let stopped = false

  const count = ({ access, connection }: Subscriber, difference: 1 | -1) => {
    const keys = (ofKey.get(access.keyId) ?? 0) + difference
    if (keys === 0) ofKey.delete(access.keyId)
    else ofKey.set(access.keyId, keys)
    ofConnection.set(connection, (ofConnection.get(connection) ?? 0) + difference)
    served.add(difference)
  }
  const checkLimits = ({ access, connection }: Subscriber) => {
    if ((ofConnection.get(connection) ?? 0) >= limits.perConnection)
      throw tooMany('this connection', limits.perConnection, 'DAYBOOK_SUBSCRIPTIONS_PER_CONNECTION')
    if ((ofKey.get(access.keyId) ?? 0) >= limits.perKey)
      throw tooMany('this key', limits.perKey, 'DAYBOOK_SUBSCRIPTIONS_PER_KEY')
  }

  const lookAtKeys = async (): Promise<number | void> => {
    if (all.size === 0 && holds.size === 0) return UNTIL_WOKEN
    const [looked, held] = [[...all], [...holds]]
    const keyIds = new Set([...looked, ...held].map(({ access }) => access.keyId))
    const keys = await readOpenKeys(db, [...keyIds])
    const sessions = await readOpenSessions(db, sessionsOf([...looked, ...held]), sessionIdleMs)
    const deleted = await deletedAmong(db, projectsOf(looked))
    const isOver = ({ sessionId }: Access) => sessionId !== undefined && !sessions.has(sessionId)
    const isEnded = ({ keyId, tokenEndsAt }: Access) =>
      tokenEndsAt === undefined ? !keys.has(keyId) : tokenEndsAt <= Date.now()
    const stillOpens = (access: Access) => {
      const { keyId, projectId } = access
      if (isOver(access) || isEnded(access)) return false
      if (projectId === null) return true
      // An access token opens what it says until it ends.
      return !deleted.has(projectId) && opens(keys.get(keyId) ?? access, projectId)
    }
    const changed = looked.filter(({ access }) => !stillOpens(access))
    const gone = held.filter(({ access }) => isEnded(access) || isOver(access))
    if (changed.length > 0 || gone.length > 0) onKeysChanged()
    for (const { access, iterator } of changed)
      iterator.end(isOver(access) ? sessionOver() : whyEnded(access, isEnded(access), deleted))
    for (const one of gone) {
      holds.delete(one)
      one.end()
    }
  }
  const looking = startLoop(lookAtKeys, {
    everyMs: KEYS_MS,
    // While the database is unavailable, those keys cannot read anything either. The next check finds out.
    onError: (error) => {
      if (!isDatabaseUnavailable(error))
        logger.error({ error }, 'the keys of subscriptions could not be looked at')
    },
  })

  return {
    open(subscriber, generate) {
      checkLimits(subscriber)
      const release = streams.hold(subscriber.access.keyId, subscriber.connection)
      count(subscriber, 1)
      const iterator = endingIterator(generate, () => {
        all.delete(entry)
        release()
        count(subscriber, -1)
      })
      const entry: OpenSubscription = { access: subscriber.access, iterator }
      all.add(entry)
      if (stopped) iterator.end()
      looking.wake(KEYS_MS)
      return iterator
    },
    hold(access, end) {
      const one = { access, end }
      holds.add(one)
      looking.wake(KEYS_MS)
      return () => holds.delete(one)
    },
    stop() {
      stopped = true
      for (const { iterator } of all) iterator.end()
      return looking.stop()
    },
  }
}

function tooMany(whose: string, limit: number, setting: string): DaybookError {
  return new DaybookError(
    'TOO_MANY_SUBSCRIPTIONS',
    `There are ${limit} subscriptions open on ${whose}, which is the limit (${setting}): end one that is not needed, or follow several things with one`,
  )
}

const projectsOf = (open: readonly OpenSubscription[]): string[] => [
  ...new Set(open.flatMap(({ access }) => access.projectId ?? [])),
]

const sessionsOf = (open: readonly { readonly access: Access }[]): string[] => [
  ...new Set(open.flatMap(({ access }) => access.sessionId ?? [])),
]

function whyEnded(
  { projectId, tokenEndsAt }: Access,
  isEnded: boolean,
  deleted: ReadonlySet<string>,
): DaybookError {
  if (projectId !== null && deleted.has(projectId)) return new ProjectDeletedError(projectId)
  return isEnded ? keyGone(tokenEndsAt === undefined ? 'key' : 'access token') : projectMoved()
}

const sessionOver = () => new DaybookError('UNAUTHENTICATED', REFUSALS['session over'])

const keyGone = (what: string) =>
  new DaybookError(
    'UNAUTHENTICATED',
    `The ${what} of this subscription was revoked or has expired: subscribe with a valid one`,
  )

const projectMoved = () =>
  new DaybookError(
    'UNAUTHENTICATED',
    'The key of this subscription opens another project by now: subscribe again',
  )

/** How long a subscription waits for an unavailable database before it ends, in milliseconds. */
const PATIENCE_MS = 30_000

/**
 * Retries a read while the database cannot be reached, at most 30 s. A restart or failover should not
 * disconnect every subscriber, because all would reconnect in the same moment.
 *
 * @throws the error of the last try
 */
export async function retryWhileUnavailable<T>(
  read: () => Promise<T>,
  ended: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const startedAt = performance.now()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const spent = performance.now() - startedAt
      if (!isDatabaseUnavailable(error) || ended.aborted || spent >= patienceMs) throw error
      await pause(Math.min(backoffDelay(attempt, { maxMs: 1_000 }), patienceMs - spent), ended)
    }
  }
}
