import type { IncomingMessage } from 'node:http'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'
import { CloseCode, type Server } from 'graphql-ws'
import type { WebSocket } from 'ws'

/** What the handlers of graphql-ws know of a connection besides its protocol. */
export interface SocketExtra {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  /** Whether an operation of that id is under way; absent until the connection is acknowledged. */
  isUnderWay?: (operationId: string) => boolean
}

/** Milliseconds between two pings; a client that has not answered one by the next is gone. */
const PING_MS = 12_000

/** WebSocket's own code for "try again later": clients connect again, after the other codes they give up. */
const TRY_AGAIN_LATER = 1013

/**
 * Speaks graphql-transport-ws on one socket. What is wrong with one operation ends that one only: a `subscribe` that is not in
 * the protocol's form, but names its id, gets an `error` for this id. (The protocol lets the server close the socket with 4400 for
 * it, which ends all the operations of the others.) A message that is no JSON or of no known type belongs to no operation: the
 * protocol has no answer to it but 4400.
 */
export function speakGraphQL(server: Server<SocketExtra>, extra: SocketExtra, logger: Logger): void {
  const { socket } = extra
  let beingRead: string | null = null

  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      socket.send(text, (error) => (error ? reject(error) : resolve()))
    })
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send,
      close(code, reason) {
        // graphql-ws closes for a malformed message while it is given to it, so it is known which one that was.
        const id = code === CloseCode.BadRequest && beingRead !== null ? operationIdOf(beingRead) : null
        if (id !== null && extra.isUnderWay?.(id) === false) void send(malformed(id)).catch(onBroken)
        else socket.close(code, reason)
      },
      onMessage(take) {
        socket.on('message', (data) => {
          beingRead = String(data)
          const taken = take(beingRead)
          beingRead = null
          taken.catch((error: unknown) => {
            const away = isDatabaseUnavailable(error)
            logger[away ? 'warn' : 'error']({ error }, 'a message on a WebSocket could not be answered')
            if (away)
              socket.close(TRY_AGAIN_LATER, 'The database cannot be reached now: connect again in a moment')
            else socket.close(CloseCode.InternalServerError, 'Something went wrong inside Daybook')
          })
        })
      },
    },
    extra,
  )

  const onBroken = (error: unknown) => {
    logger.info({ error }, 'a WebSocket broke')
    socket.terminate()
  }
  let answered = true
  const pings = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, PING_MS)
  socket.on('pong', () => {
    answered = true
  })
  socket.on('error', onBroken)
  socket.once('close', (code, reason) => {
    clearInterval(pings)
    closed(code, String(reason)).catch(onBroken)
  })
}

/** The id of the operation that a malformed message was to begin; null where it is not known. */
function operationIdOf(text: string): string | null {
  try {
    const message = JSON.parse(text) as { type?: unknown; id?: unknown } | null
    return message?.type === 'subscribe' && typeof message.id === 'string' && message.id !== ''
      ? message.id
      : null
  } catch {
    return null
  }
}

function malformed(id: string): string {
  const message =
    'The payload of "subscribe" must be an object with "query", a string, and may hold "variables" and "extensions", objects, and "operationName", a string'
  const error = { message, extensions: { code: 'BAD_REQUEST', retryable: false } }
  return JSON.stringify({ id, type: 'error', payload: [error] })
}
