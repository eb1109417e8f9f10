import { ReadableStream } from 'node:stream/web'
import { type GraphQLDocument, type ReadonlyInput, textOf } from '@daybook/api/graphql'
import { parseAnswer } from '@daybook/client/http/request'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { RefusedError, UnreachableError } from '../command-line.ts'
import { type Connection, keyHeaders } from '../settings.ts'
import { refusal, unauthorised, unreachable } from './request.ts'

/** Milliseconds between two pings, and to wait for a pong: a connection can die without notice. */
const PING_MS = 10_000

const PONG_MS = 5_000

/** The codes with which graphql-ws and our gateway close a socket whose key is not accepted. */
const FORBIDDEN = new Set([4401, 4403])

/** The connection ended. The caller can subscribe again on a new one. */
class ConnectionLost extends Error {}

/**
 * Runs one subscription on one WebSocket until the signal is aborted.
 * @throws ConnectionLost, UnauthorisedError, RefusedError
 */
export function subscribe<Result, Variables extends object>(
  connection: Connection,
  subscription: GraphQLDocument<Result, Variables>,
  variables: ReadonlyInput<Variables>,
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

interface Streamed {
  readonly method: 'GET' | 'POST'
  /** It is read no faster than the daemon takes it. */
  readonly body?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/**
 * Sends and receives bodies that are too long for memory. It resolves with the answer's body as soon as the
 * answer begins; the request's body may still be on its way.
 * @throws UnreachableError, UnauthorisedError, RefusedError; the signal's reason
 */
export async function openStream(
  connection: Connection,
  path: string,
  { method, body, signal }: Streamed,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(`${connection.url}${path}`, {
    method,
    // The daemon is usually near: compressing would cost more than it saves.
    headers: { ...keyHeaders(connection), 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body: ReadableStream.from(body), duplex: 'half' }),
    signal,
  } as RequestInit).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(connection, error)
  })
  if (response.status === 200 && response.headers.get('content-type')?.includes('ndjson') === true)
    return explained(connection, response.body ?? new ReadableStream(), signal)
  const answer = parseAnswer(await response.text().catch(() => ''))
  if (response.status === 401) throw unauthorised(connection, answer?.errors?.[0]?.message)
  if (answer?.errors?.[0] !== undefined) throw refusal(answer.errors, response.status)
  throw unreachable(connection, null, `it answered ${path} with HTTP ${response.status}`)
}

/** Passes the chunks on. If the connection breaks, it throws an error that people understand. */
async function* explained(
  connection: Connection,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw signal.aborted ? error : unreachable(connection, error)
  }
}

/** Whether asking again may help: the daemon is gone for a while, or cannot serve now. */
export const mayComeBack = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof UnreachableError ||
  (error instanceof RefusedError && error.retryable)
