import type { IncomingMessage } from 'node:http'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'
import { CloseCode, type Server } from 'graphql-ws'
import type { WebSocket } from 'ws'

/** What graphql-ws's handlers know about a connection. */
export interface SocketExtra {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  /** Whether an operation with that id is under way; absent until the connection is acknowledged. */
  isUnderWay?: (operationId: string) => boolean
}

/** What a WebSocket may take from us. */
export interface SocketLimits {
  /** Milliseconds between two pings. A client that has not answered one by the next is gone. */
  readonly pingMs: number
  /** Bytes of answers that may wait for the client. */
  readonly bufferBytes: number
}

/** From this part of the buffer on, nothing is read from the client, who should read its answers first. */
const FULL = 1 / 16

/** WebSocket's code for "try again later": clients reconnect after it, and give up after the others. */
export const TRY_AGAIN_LATER = 1013

/**
 * Speaks graphql-transport-ws on one socket. A faulty operation ends only itself: a malformed `subscribe`
 * that names its id gets an `error` for that id. (The protocol allows closing the socket with 4400, but that
 * would end all its operations.) A message that is not JSON, or of an unknown type, belongs to no operation;
 * the protocol's only answer is 4400.
 */
export function speakGraphQL(
  server: Server<SocketExtra>,
  extra: SocketExtra,
  { logger, limits }: { readonly logger: Logger; readonly limits: SocketLimits },
): void {
  const { socket } = extra
  let beingRead: string | null = null

  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      if (socket.bufferedAmount > limits.bufferBytes) {
        logger.info(
          { waiting: socket.bufferedAmount },
          'a client was cut off: its WebSocket had more answers waiting than DAYBOOK_WEBSOCKET_BUFFER',
        )
        socket.terminate()
        return resolve()
      }
      socket.send(text, (error) => {
        // A client that has gone needs no answer.
        if (error && socket.readyState === socket.OPEN) return reject(error)
        if (socket.isPaused && socket.bufferedAmount <= limits.bufferBytes * FULL) socket.resume()
        resolve()
      })
      // graphql-ws sends each operation's next result only after this one was taken; but a client could begin
      // operation after operation and read none of their answers.
      if (socket.bufferedAmount > limits.bufferBytes * FULL) socket.pause()
    })
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send,
      close(code, reason) {
        // graphql-ws closes while it handles the malformed message, so we know which message it was.
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
  }, limits.pingMs)
  socket.on('pong', () => {
    answered = true
  })
  socket.on('error', onBroken)
  socket.once('close', (code, reason) => {
    clearInterval(pings)
    closed(code, String(reason)).catch(onBroken)
  })
}

/** The id of the operation that a malformed message should have begun; null if it names none. */
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
