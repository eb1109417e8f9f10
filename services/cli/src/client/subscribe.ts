import { type Given, type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { RefusedError } from '../cli-error.ts'
import { type Connection, keyHeaders } from '../settings.ts'
import { unauthorised } from './request.ts'

/** Milliseconds between two pings, and to wait for a pong: a connection can die without notice. */
const PING_MS = 10_000
const PONG_MS = 5_000

/** The codes with which graphql-ws and our gateway close a socket whose key is not accepted. */
const FORBIDDEN = new Set([4401, 4403])

/** The connection ended. The caller can subscribe again on a new one. */
export class ConnectionLost extends Error {}

/**
 * Runs one subscription on one WebSocket until the signal is aborted.
 * @throws ConnectionLost, UnauthorisedError, RefusedError
 */
export function subscribe<Result, Variables extends object>(
  connection: Connection,
  subscription: GraphQLDocument<Result, Variables>,
  variables: Given<Variables>,
  { onData, onConnected, signal }: Listener<Result>,
): Promise<void> {
  class WithKey extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols, { headers: keyHeaders(connection) })
    }
  }
  let pong: NodeJS.Timeout | undefined
  return new Promise<void>((resolve, reject) => {
    const client = createClient({
      url: `${connection.url.replace(/^http/u, 'ws')}/graphql`,
      webSocketImpl: WithKey,
      // The caller subscribes again: it knows the last event it has seen. A retry here would start from the
      // first.
      retryAttempts: 0,
      keepAlive: PING_MS,
      onNonLazyError: () => undefined,
      on: {
        connected: onConnected,
        ping: (received) => {
          if (!received) pong = setTimeout(() => client.terminate(), PONG_MS)
        },
        pong: (received) => {
          if (received) clearTimeout(pong)
        },
      },
    })
    const end = (settle: () => void) => {
      clearTimeout(pong)
      settle()
      void client.dispose()
    }
    const payload = { query: textOf(subscription), variables: variables as Record<string, unknown> }
    const unsubscribe = client.subscribe<Result>(payload, {
      next: ({ data, errors }) => {
        if (data != null) onData(data)
        else end(() => reject(new RefusedError('REFUSED', errors?.[0]?.message ?? 'The daemon sent no data')))
      },
      error: (error) => end(() => reject(failureOf(connection, error))),
      complete: () => end(() => (signal.aborted ? resolve() : reject(new ConnectionLost()))),
    })
    signal.addEventListener('abort', () => unsubscribe(), { once: true })
    if (signal.aborted) unsubscribe()
  })
}

interface Listener<Result> {
  readonly onData: (result: Result) => void
  readonly onConnected: () => void
  readonly signal: AbortSignal
}

function failureOf(connection: Connection, error: unknown): Error {
  if (Array.isArray(error)) {
    const [first] = error as readonly { message?: string; extensions?: { code?: string } }[]
    if (first?.extensions?.code === 'UNAUTHENTICATED') return unauthorised(connection)
    return new RefusedError(first?.extensions?.code ?? 'REFUSED', String(first?.message))
  }
  const code = (error as { code?: unknown }).code
  return typeof code === 'number' && FORBIDDEN.has(code) ? unauthorised(connection) : new ConnectionLost()
}
