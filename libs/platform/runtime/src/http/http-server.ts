import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listen } from '../listen.ts'
import type { Logger } from '../logger.ts'
import { sendJson } from '../probes.ts'
import { cutSlowReaders } from './cut-slow-readers.ts'
import type { HttpLimits } from './limits.ts'
import { isHost, type RequestTarget, readRequestTarget } from './request-target.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { answerUnreadable } from './unreadable-request.ts'
import { type TakeUpgrade, takeWebSockets } from './upgrades.ts'

/**
 * Answers one request. Anything that it throws is logged and answered with 500; it never ends the process.
 */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => Promise<void> | void

/** The options of `createHttpServer`. */
export interface HttpServerOptions {
  readonly logger: Logger
  readonly limits: HttpLimits
  /** Whether the handler itself limits the time in which a request's body arrives. @default false */
  readonly limitsBodies?: boolean
  readonly handle: RequestHandler
}

/** The HTTP server that every service uses: it catches errors, enforces limits, and stops in bounded time. */
export interface HttpServer {
  /**
   * @returns `http://127.0.0.1:4000`.
   * @throws DaybookError CONFIGURATION if it cannot listen on the address
   */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>
  /** Registers who takes the WebSockets of a path. Call it before `listen`. */
  takeWebSockets(path: string, take: TakeUpgrade): void
  /**
   * Accepts no new requests. Current ones have `graceMs` milliseconds to end, then their connections are cut.
   */
  stop(graceMs: number): Promise<void>
}

/** A server that does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, limits, limitsBodies = false } = options
  const sockets = new Set<Socket>()
  /** The answers of a connection that are not fully sent. */
  const answering = new WeakMap<Duplex, Set<ServerResponse>>()
  const answersOf = (socket: Duplex): ReadonlySet<ServerResponse> => answering.get(socket) ?? new Set()
  const server = createServer(
    {
      // Node refuses a request's time that is shorter than its head's.
      requestTimeout: limitsBodies ? 0 : Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
      headersTimeout: limits.headersTimeoutMs,
      keepAliveTimeout: limits.keepAliveMs,
      // Node looks every 30 s, so that a slow client would have that much longer.
      connectionsCheckingInterval: Math.max(20, Math.min(1_000, limits.headersTimeoutMs / 4)),
    },
    (request, response) => {
      const { socket } = request
      const answers = answering.get(socket) ?? new Set()
      answering.set(socket, answers.add(response))
      response.once('close', () => answers.delete(response))
      void guarded(options, request, response)
    },
  )
  server.maxConnections = limits.maxConnections
  server.on('connection', (socket) => {
    sockets.add(socket)
    let lingering: NodeJS.Timeout | undefined
    // Whoever ended it: a client that keeps its half open would keep its place among our connections, for good.
    // At once would be too early: what the client still sends could make its system discard the answer.
    socket.once('finish', () => {
      lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    })
    socket.once('close', () => {
      clearTimeout(lingering)
      sockets.delete(socket)
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    // An answer now would be taken for that of an earlier request, or be mixed into its bytes.
    answerUnreadable(
      error,
      socket,
      [...answersOf(socket)].some(({ headersSent, req }) => headersSent || req.complete),
    ),
  )
  let droppedAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - droppedAt < DROPS_SAID_MS) return
    droppedAt = performance.now()
    logger.warn(
      { maxConnections: limits.maxConnections },
      'connections are refused: DAYBOOK_MAX_CONNECTIONS is reached',
    )
  })
  cutSlowReaders(server, sockets, {
    timeoutMs: limits.writeTimeoutMs,
    onCut: (socket) =>
      logger.info(
        { client: socket.remoteAddress, waiting: socket.writableLength },
        'a client was cut off: it read nothing of its answer for the time of DAYBOOK_WRITE_TIMEOUT',
      ),
  })
  return {
    listen: (at) => listen(server, at),
    takeWebSockets: (path, take) =>
      takeWebSockets(server, path, { take, isAnswering: (socket) => answersOf(socket).size > 0 }),
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Connections become idle when their last answers are sent. What is still running at the end has had
      // its time.
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, graceMs)
      await closed
      clearInterval(idle)
      clearTimeout(timer)
    },
  }
}

/** Milliseconds in which a client has to close its half of a connection that we ended. */
const LINGER_MS = 3_000

/** Milliseconds between two log lines about refused connections. */
const DROPS_SAID_MS = 10_000

async function guarded(
  { logger, handle }: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Without a listener, a write after the end would end the process.
  response.on('error', (error) => logger.warn({ error }, 'an answer could not be written'))
  setSecurityHeaders(response)
  try {
    if (hasOneHost(request)) return await handle(request, response, readRequestTarget(request.url))
    sendJson(response, 400, { message: 'The Host header does not name one host' }, { connection: 'close' })
  } catch (error) {
    logger.error({ error }, 'a request failed unexpectedly')
    if (response.headersSent) response.destroy()
    else sendJson(response, 500, { message: 'Something went wrong inside Daybook; its log says what' })
  }
}

/** Of several `Host` headers Node would show us the first and a proxy may have checked the last (RFC 9112, 3.2). */
const hasOneHost = ({ headers, headersDistinct }: IncomingMessage): boolean =>
  isHost(headers.host) && (headersDistinct['host']?.length ?? 0) <= 1
