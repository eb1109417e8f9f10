import { graphql } from '@daybook/api/graphql'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { mayComeBack } from '../client/may-come-back.ts'
import { hasEnded, OPERATION, type Operation, readOperation } from '../client/operations.ts'
import { subscribe } from '../client/subscribe.ts'
import type { Connection } from '../settings.ts'

interface Following {
  readonly onChange: (operation: Operation) => void
  /** Called with messages for the person who watches. */
  readonly onNotice: (message: string) => void
  readonly signal: AbortSignal
  /** How long to wait for a daemon that is gone, in milliseconds. Default 60,000. */
  readonly retryMs?: number
}

const FOLLOW = graphql('subscription Follow($id: ID!) { operation(id: $id) { ...Operation } }', [OPERATION])

/**
 * Follows an operation to its end, across restarts of the daemon. The operation goes on whether somebody
 * follows it or not.
 * @returns the ended operation; null if the signal came first
 * @throws UnreachableError if the daemon stays away, RefusedError, UnauthorisedError
 */
export async function followOperation(
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
