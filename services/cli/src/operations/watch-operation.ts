import * as subscriptions from '@daybook/api/subscriptions'
import { safeLine } from '@daybook/memory/safe-text'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { hasEnded, listOperations, OPERATION, type Operation, readOperation } from '../client/operations.ts'
import { mayComeBack, subscribe } from '../client/subscribe.ts'
import { type ProgressDisplay, showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { operationName, operationProgress } from './render-ended.ts'

/**
 * After this long in the queue, say why the operation waits, in milliseconds. A reindex service looks twice a
 * second.
 */
const QUEUED_LONG_MS = 3_000

/** Shows an operation's progress until it has ended. @returns the operation; null if the signal came first */
export async function watchOperation(
  connection: Connection,
  first: Operation,
  signal: AbortSignal,
): Promise<Operation | null> {
  const progress = await showProgress()
  let status = first.status
  const timer = setTimeout(() => {
    if (status === 'QUEUED') void sayWhyQueued(connection, first, progress)
  }, QUEUED_LONG_MS)
  try {
    return await followOperation(connection, first, {
      signal,
      onNotice: progress.say,
      onChange: (operation) => {
        status = operation.status
        // The caller prints the result of an ended operation; a line here would repeat it.
        if (!hasEnded(operation)) progress.update(operationProgress(operation))
      },
    })
  } finally {
    clearTimeout(timer)
    progress.stop()
  }
}

async function sayWhyQueued(
  connection: Connection,
  { id }: Operation,
  progress: ProgressDisplay,
): Promise<void> {
  // If this query fails, the watching goes on.
  const active = await listOperations(connection, { active: true }).catch(() => null)
  // It may have begun, or ended, since its last known state.
  const own = active?.find((one) => one.id === id)
  if (active === null || own === undefined || own.status === 'RUNNING') return
  const other = active.find((one) => one.id !== id && one.status === 'RUNNING')
  progress.say(
    other === undefined
      ? 'No reindex service seems to run: start one with  npm run start:reindex  (the daemon has one inside). It takes this up by itself.'
      : `It waits for the ${operationName(other)} (${safeLine(other.id)}) to end.`,
  )
}

interface Following {
  readonly onChange: (operation: Operation) => void
  /** Called with messages for the person who watches. */
  readonly onNotice: (message: string) => void
  readonly signal: AbortSignal
  /** How long to wait for a daemon that is gone, in milliseconds. Default 60,000. */
  readonly retryMs?: number
}

const FOLLOW = subscriptions.operation('...Operation', [OPERATION])

/**
 * Follows an operation to its end, across restarts of the daemon. The operation goes on whether somebody
 * follows it or not.
 * @returns the ended operation; null if the signal came first
 * @throws UnreachableError if the daemon stays away, RefusedError, UnauthorisedError
 */
async function followOperation(
  connection: Connection,
  { id }: Pick<Operation, 'id'>,
  { onChange, onNotice, signal, retryMs = 60_000 }: Following,
): Promise<Operation | null> {
  let lostAt: number | null = null
  for (let attempt = 0; !signal.aborted; attempt += 1)
    try {
      // Over HTTP first: its errors say more than a socket's.
      const now = await readOperation(connection, id)
      if (lostAt !== null) onNotice('Connected again.')
      lostAt = null
      attempt = 0
      onChange(now)
      if (hasEnded(now)) return now
      const ended = await subscribeUntilEnd(connection, id, onChange, signal)
      if (ended !== null) return ended
    } catch (error) {
      if (signal.aborted) return null
      if (!mayComeBack(error)) throw error
      if (lostAt === null) onNotice('The connection is lost; trying again. The work goes on without it …')
      lostAt ??= performance.now()
      if (performance.now() - lostAt > retryMs) throw error
      await pause(backoffDelay(attempt, { firstMs: 200, maxMs: 3_000 }), signal)
    }
  return null
}

/** @returns the ended operation; null if the signal came first @throws ConnectionLost, RefusedError */
async function subscribeUntilEnd(
  connection: Connection,
  id: string,
  onChange: (operation: Operation) => void,
  signal: AbortSignal,
): Promise<Operation | null> {
  const own = new AbortController()
  let ended: Operation | null = null
  await subscribe(
    connection,
    FOLLOW,
    { id },
    {
      signal: AbortSignal.any([signal, own.signal]),
      onConnected: () => undefined,
      onData: ({ operation }) => {
        onChange(operation)
        if (!hasEnded(operation)) return
        ended = operation
        own.abort()
      },
    },
  )
  return ended
}
