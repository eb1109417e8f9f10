import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { reasonOf } from '@daybook/runtime/reason-of'
import { type JetStreamClient, type JetStreamManager, jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { ServerAddress } from './server-address.ts'

/** One uninterrupted connection. After a break, everything that the server held may be gone: start over. */
export interface Session {
  readonly connection: NatsConnection
  readonly jetstream: JetStreamClient
  readonly manager: JetStreamManager
  /** Aborted when the connection breaks. */
  readonly lost: AbortSignal
}

/**
 * The connection to NATS, which is kept up for ever:
 *
 *   away ──connected──▶ in session ──connection breaks──▶ away ──reconnected──▶ in session (a new one)
 *   … ──close──▶ closed
 */
export interface Link {
  /** Null while NATS is unavailable. */
  current(): Session | null
  /**
   * Resolves with the session once there is one; with null if the signal or the end of the link comes first.
   */
  session(signal: AbortSignal): Promise<Session | null>
  close(): Promise<void>
}

/**
 * Milliseconds between pings. After two without an answer, the server counts as gone. The client's default is
 * 4 minutes.
 */
const PING_MS = 10_000
const RECONNECT_MS = 250
const CONNECT_TIMEOUT_MS = 5_000

/** Starts connecting, and keeps the connection until `close`. */
export function openLink({ options, shown }: ServerAddress, logger: Logger): Link {
  const closing = new AbortController()
  const waiting = new Set<() => void>()
  let connection: NatsConnection | null = null
  let session: Session | null = null
  let lost = new AbortController()

  const begin = async (now: NatsConnection) => {
    lost = new AbortController()
    const { signal } = lost
    const client = jetstream(now)
    // No account check: each function asks the server itself, and the check would only fail while NATS
    // starts.
    const manager = await client.jetstreamManager(false)
    if (signal.aborted || closing.signal.aborted) return
    session = { connection: now, jetstream: client, manager, lost: signal }
    for (const wake of waiting) wake()
  }
  const end = () => {
    session = null
    lost.abort()
  }

  /** Runs until the connection is closed, by `close` or by a fault of the client. */
  const follow = async (now: NatsConnection) => {
    for await (const status of now.status()) {
      if (status.type === 'disconnect') {
        if (session !== null)
          logger.warn(
            { nats: shown },
            'NATS is unavailable: events wait in the journal, and reconnecting continues until it is back',
          )
        end()
      }
      // The client may report one reconnection several times.
      if (status.type === 'reconnect' && lost.signal.aborted) {
        logger.info({ nats: shown }, 'NATS is back')
        void begin(now)
      }
      // Without a stack, which would only show the client's own parser; whoever asked gets the error as well.
      if (status.type === 'error')
        logger.warn({ nats: shown, reason: reasonOf(status.error) }, 'NATS reports an error')
    }
  }

  const firstConnect = async (): Promise<NatsConnection | null> => {
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      try {
        return await connect({
          ...options,
          name: 'daybook',
          timeout: CONNECT_TIMEOUT_MS,
          maxReconnectAttempts: -1,
          // While a password is being changed, the connection must not end for good.
          ignoreAuthErrorAbort: true,
          reconnectTimeWait: RECONNECT_MS,
          pingInterval: PING_MS,
          // Otherwise each publish would carry a stack trace.
          noAsyncTraces: true,
        })
      } catch (error) {
        // Logs the first failure and then about one per minute, enough to show that it is still trying.
        if (attempt % 12 === 0)
          logger.warn(
            { nats: shown, error },
            'NATS cannot be reached (NATS_URL): Daybook continues from the journal and tries again until NATS answers',
          )
        await pause(backoffDelay(attempt, { firstMs: 100, maxMs: 5_000 }), closing.signal)
      }
    }
    return null
  }

  const run = async () => {
    while (!closing.signal.aborted) {
      connection = await firstConnect()
      if (connection === null) return
      logger.info({ nats: shown, version: connection.info?.version }, 'connected to NATS')
      void begin(connection)
      if (closing.signal.aborted) await connection.close()
      await follow(connection)
      end()
    }
  }
  const running = run()

  return {
    current: () => session,
    async session(signal) {
      const isOver = () => signal.aborted || closing.signal.aborted
      // oxlint-disable-next-line no-unmodified-loop-condition -- `begin` sets it meanwhile
      while (session === null && !isOver()) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake)
            signal.removeEventListener('abort', wake)
            resolve()
          }
          waiting.add(wake)
          signal.addEventListener('abort', wake)
        })
      }
      return isOver() ? null : session
    },
    async close() {
      closing.abort()
      end()
      for (const wake of waiting) wake()
      await connection?.close()
      await running
    },
  }
}
