import type { IncomingMessage } from 'node:http'
import { DaybookError } from '@daybook/memory/errors'
import { lossOf } from '@daybook/memory/json-problem'
import { answerRaw, type HttpServer, readRequestTarget } from '@daybook/runtime/http/http-server'
import { type Logger, withLogFields } from '@daybook/runtime/logger'
import type { GraphQLError } from 'graphql'
import {
  CloseCode,
  type Context,
  handleProtocols,
  makeServer,
  type Server,
  type SubscribePayload,
} from 'graphql-ws'
import { createGraphQLError } from 'graphql-yoga'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Credentials } from '../authenticate.ts'
import { sessionIn } from '../console/serve-console.ts'
import type { GatewayParts } from '../context.ts'
import { REQUEST_COST, REQUEST_LIMITS } from '../schema/limits.ts'
import { judgeNames } from './cors.ts'
import { createMaskError, failureOf } from './failure.ts'
import { readClaims, readRequestContext } from './request-context.ts'
import { type GraphQLServer, type PreparedOperation, prepareOperation, type Run } from './yoga.ts'

/** The arguments of an operation, with Yoga's own functions, as graphql-ws hands them on. */
type Enveloped = PreparedOperation['args'] & {
  readonly rootValue: Pick<PreparedOperation, 'execute' | 'subscribe'>
}

type Connection = Context<Record<string, unknown> | undefined, SocketExtra>

/**
 * Serves subscriptions (and other operations) over WebSocket, protocol graphql-transport-ws. The key comes in
 * the upgrade's `Authorization` header, or as `Authorization` in the connection's parameters, because
 * browsers cannot set the header; likewise `X-Daybook-Project`. The console's page has a session instead. The key is checked for each operation, and once
 * it has ended the connection is closed.
 *
 * @returns a function that ends all connections and tells the clients that the server goes away
 */
export function serveWebSocket(
  server: Pick<HttpServer, 'takeWebSockets'>,
  graphql: GraphQLServer,
  parts: GatewayParts,
): () => Promise<void> {
  const { logger, authenticate, names, budget, streams, subscriptions } = parts
  const mask = createMaskError(parts)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_LIMITS.bodyBytes,
    handleProtocols,
  })
  server.takeWebSockets('/graphql', (request, socket, head) => {
    // Browsers ask no permission for a WebSocket to another site, so that this is the only check of its origin.
    const foreign = judgeNames(names, request, readRequestTarget(request.url))
    if (foreign !== null) {
      const { status, code, message } = foreign
      return answerRaw(socket, status, { errors: [{ message, extensions: { code, retryable: false } }] })
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit('connection', webSocket, request),
    )
  })

  const prepare = async (connection: Connection, payload: SubscribePayload) => {
    const access = await authenticate(credentialsOf(connection))
    budget.spend(access.keyId, REQUEST_COST)
    // Each operation counts as its own request. The connection's headers are as old as the connection, so
    // they do not apply.
    const request = {
      ...readRequestContext({}),
      access,
      connection: connection.extra.socket,
      claims: readClaims(claimIn(connection)),
    }
    const prepared = await prepareOperation(graphql, request, payload)
    if (!('args' in prepared)) return withoutHttp(prepared)
    const { args, execute, subscribe } = prepared
    return { ...args, rootValue: { execute, subscribe } }
  }
  // An error becomes the answer to its operation. Thrown to graphql-ws, it would close the socket and end the
  // others too.
  const run = async (args: Enveloped, start: Run) => {
    try {
      const { correlationId } = args.contextValue
      const result = await withLogFields({ correlationId }, async () => start(args))
      if (Symbol.asyncIterator in result || result.errors === undefined) return result
      return { ...result, errors: withoutHttp(result.errors) }
    } catch (error) {
      return { errors: withoutHttp([mask(error)]) }
    }
  }

  const service = makeServer<Record<string, unknown>, SocketExtra>({
    // Yoga's own functions, so that its plugins and limits apply here too.
    execute: (args) => run(args as Enveloped, (args as Enveloped).rootValue.execute),
    subscribe: (args) => run(args as Enveloped, (args as Enveloped).rootValue.subscribe),
    onConnect: async (connection) => {
      const access = await authenticate({ ...credentialsOf(connection), project: null }).catch(refused)
      // Returning false closes the socket with 4403 Forbidden.
      if (access === null) return false
      const { socket } = connection.extra
      // It may have closed while its key was looked up.
      const untilClosed = (release: () => void) =>
        socket.readyState === socket.OPEN ? void socket.once('close', release) : release()
      try {
        untilClosed(streams.hold(access.keyId, socket))
      } catch (error) {
        socket.close(TRY_AGAIN_LATER, (error as Error).message)
        return false
      }
      untilClosed(
        subscriptions.hold(access, () =>
          setTimeout(() => socket.close(CloseCode.Forbidden, 'Forbidden'), LAST_MS),
        ),
      )
      connection.extra.isUnderWay = (id) => id in connection.subscriptions
      return true
    },
    onSubscribe: async (connection, _id, payload) => {
      try {
        return await prepare(connection, payload)
      } catch (error) {
        return withoutHttp([mask(error)])
      }
    },
  })
  sockets.on('connection', (socket, request) =>
    speakGraphQL(service, { socket, request }, { logger, limits: parts.config.streams }),
  )
  return async () => {
    for (const socket of sockets.clients) socket.close(1001, 'Going away')
    sockets.close()
  }
}

/** How long a connection stays open after its key has ended, in milliseconds: its operations say why they end. */
const LAST_MS = 500

/** Errors without what is meant for the head of an HTTP answer; there, Yoga takes it out. */
function withoutHttp(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.map((error) => {
    const { http: _, ...extensions } = error.extensions
    const { nodes = null, path = null } = error
    return createGraphQLError(error.message, { nodes, path, extensions })
  })
}

function refused(error: unknown): null {
  if (error instanceof DaybookError && ['UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code)) return null
  throw error
}

function credentialsOf(connection: Connection): Credentials {
  return {
    authorization: claimed(connection, 'Authorization'),
    project: claimed(connection, 'X-Daybook-Project'),
    session: sessionIn(connection.extra.request.headers, { proof: 'origin' }),
  }
}

const NAMES: Readonly<Record<string, string>> = {
  'x-daybook-agent': 'X-Daybook-Agent',
  'x-daybook-client': 'X-Daybook-Client',
}

const claimIn = (connection: Connection) => (name: string) => claimed(connection, NAMES[name] ?? name)

/** A header of the connection, else its parameter of that name. */
function claimed({ connectionParams, extra }: Connection, name: string): string | null {
  const { headers } = extra.request
  const value =
    headers[name.toLowerCase()] ?? connectionParams?.[name] ?? connectionParams?.[name.toLowerCase()]
  return typeof value === 'string' ? value : null
}

/** What graphql-ws's handlers know about a connection. */
interface SocketExtra {
  readonly socket: WebSocket
  readonly request: IncomingMessage
  /** Whether an operation with that id is under way; absent until the connection is acknowledged. */
  isUnderWay?: (operationId: string) => boolean
}

/** What a WebSocket may take from us. */
interface SocketLimits {
  /** Milliseconds between two pings. A client that has not answered one by the next is gone. */
  readonly pingMs: number
  /** Bytes of answers that may wait for the client. */
  readonly bufferBytes: number
}

/** From this part of the buffer on, nothing is read from the client, who should read its answers first. */
const FULL = 1 / 16

/** WebSocket's code for "try again later": clients reconnect after it, and give up after the others. */
const TRY_AGAIN_LATER = 1013

/**
 * Speaks graphql-transport-ws on one socket. A faulty operation ends only itself: a malformed `subscribe`
 * that names its id gets an `error` for that id. (The protocol allows closing the socket with 4400, but that
 * would end all its operations.) A message that is not JSON, or of an unknown type, belongs to no operation;
 * the protocol's only answer is 4400.
 */
function speakGraphQL(
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
        if (id !== null && extra.isUnderWay?.(id) === false)
          void send(badRequest(id, MALFORMED)).catch(onBroken)
        else socket.close(code, reason)
      },
      onMessage(take) {
        socket.on('message', (data) => {
          beingRead = String(data)
          const loss = lossOf(beingRead)
          const id = loss === null ? null : operationIdOf(beingRead)
          if (id !== null) return void send(badRequest(id, `The message ${loss}`)).catch(onBroken)
          const taken = take(beingRead)
          beingRead = null
          taken.catch((error: unknown) => {
            const away = failureOf(error).code === 'UNAVAILABLE'
            logger[away ? 'warn' : 'error']({ error }, 'a message on a WebSocket could not be answered')
            if (away)
              socket.close(TRY_AGAIN_LATER, 'What is needed cannot be reached now: connect again in a moment')
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

const MALFORMED =
  'The payload of "subscribe" must be an object with "query", a string, and may hold "variables" and "extensions", objects, and "operationName", a string'

function badRequest(id: string, message: string): string {
  const error = { message, extensions: { code: 'BAD_REQUEST', retryable: false } }
  return JSON.stringify({ id, type: 'error', payload: [error] })
}
