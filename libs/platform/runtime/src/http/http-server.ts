import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listen } from '../listen.ts'
import type { Logger } from '../logger.ts'
import { sendJson } from '../probes.ts'

/**
 * Answers one request. Anything that it throws is logged and answered with 500; it never ends the process.
 */
type RequestHandler = (
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

/** A socket that waits for its client: how much the client had taken, and since when that is unchanged. */
interface StalledWrite {
  readonly place: string
  readonly since: number
}

/**
 * Cuts connections whose clients read nothing of what was written for `timeoutMs`. Otherwise each could keep
 * its answer in our memory without a time limit. A client that reads slowly is not cut. Node's own socket
 * timeout does not do this: anything that the client sends resets it, and it counts the time in which we
 * compute an answer.
 *
 * @param sockets the server's open sockets
 */
function cutSlowReaders(
  server: Server,
  sockets: ReadonlySet<Socket>,
  { timeoutMs, onCut }: { readonly timeoutMs: number; readonly onCut: (socket: Socket) => void },
): void {
  const waiting = new Map<Socket, StalledWrite>()
  const look = () => {
    const now = performance.now()
    for (const socket of waiting.keys()) if (!sockets.has(socket)) waiting.delete(socket)
    for (const socket of sockets) {
      if (socket.writableLength === 0) waiting.delete(socket)
      else {
        const place = placeOf(socket)
        const before = waiting.get(socket)
        if (before?.place !== place) waiting.set(socket, { place, since: now })
        else if (now - before.since >= timeoutMs) {
          waiting.delete(socket)
          onCut(socket)
          socket.destroy()
        }
      }
    }
  }
  const timer = setInterval(look, Math.max(20, timeoutMs / 8))
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** Changes with every byte that the client takes. Only the handle shows progress within one large write. */
export function placeOf(socket: Socket): string {
  // oxlint-disable-next-line no-underscore-dangle -- no other way; Node's own socket timeout does so too
  const handle = (socket as { _handle?: { readonly writeQueueSize?: number } | null })._handle
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize ?? ''}`
}

/** What a server allows its clients. */
export interface HttpLimits {
  /** Milliseconds in which a client must read something of a waiting answer; else its connection is cut. */
  readonly writeTimeoutMs: number
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number
  /** Milliseconds in which the head of a request must arrive. */
  readonly headersTimeoutMs: number
  /** Milliseconds in which a whole request must arrive. */
  readonly requestTimeoutMs: number
  /** Milliseconds that a connection may stay open between two requests. */
  readonly keepAliveMs: number
}

/** The limits of a server without settings. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  writeTimeoutMs: 30_000,
  maxConnections: 1_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  // Longer than load balancers keep connections (AWS 60 s): we must not close one that they are about to use.
  keepAliveMs: 75_000,
}

/**
 * Answers on a bare socket and closes it: for a request that could not be read, or a refused WebSocket, where
 * Node gives no response object.
 */
export function answerRaw(
  socket: Duplex,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!socket.writable) return void socket.destroy()
  const text = `${JSON.stringify(body)}\n`
  const head = {
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`)
}

/** The target of a request as it was sent: nothing in the path is decoded or resolved. */
export interface RequestTarget {
  /** Begins with `/`, except for targets that no server can have anything at, such as `*`. */
  readonly path: string
  readonly query: URLSearchParams
  /** The host that a target of the form sent to proxies names; null for the usual form. */
  readonly authority: string | null
  /** Path and query, as a handler may pass it on. */
  readonly relative: string
}

/** The form sent to proxies (RFC 9112, 3.2.2). Its host counts more than the `Host` header. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/iu

/**
 * Reads a request's target from any text. `new URL(target, base)` is no alternative for input from strangers:
 * it throws for `//` and others, takes `//evil/health` for a host, and resolves `..`.
 */
export function readRequestTarget(sent: string | undefined): RequestTarget {
  const text = sent ?? ''
  const [relative = ''] = text.replace(ABSOLUTE, '').split('#', 1)
  const at = relative.indexOf('?')
  const path = at === -1 ? relative : relative.slice(0, at)
  const search = at === -1 ? '' : relative.slice(at)
  const rooted = path === '' ? '/' : path
  const authority = ABSOLUTE.exec(text)?.[1] ?? null
  return { path: rooted, query: new URLSearchParams(search), relative: rooted + search, authority }
}

/**
 * Whether a `Host` header could name a host (RFC 9110, 7.2). An absent one passes: Node refuses it where HTTP
 * requires it.
 */
const isHost = (host: string | undefined): boolean =>
  host === undefined || host === '' || (!/[/?#@\\\s]/u.test(host) && URL.canParse(`http://${host}/`))

interface Answer {
  readonly status: number
  readonly code: string
  readonly message: string
}

const BAD: Answer = { status: 400, code: 'BAD_REQUEST', message: 'This is not a request of HTTP/1.1' }

/** What Node's parser found, and what the client gets for it. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    message:
      'The request did not arrive in time: its head has DAYBOOK_HEADERS_TIMEOUT, all of it DAYBOOK_REQUEST_TIMEOUT',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HEADERS_TOO_LARGE',
    message: 'The headers are too large: the limit is 16 KiB',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { ...BAD, status: 413, message: 'The extensions of a chunk are too large' },
}

/**
 * Answers a request that Node could not read or that came too slowly. Node's own answer has no body, so a client would not
 * learn which limit it met.
 * @param isAnswering whether an answer to an earlier request is still to be sent on the socket
 */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (error.code === 'ECONNRESET' || isAnswering) return void socket.destroy()
  const { status, code, message } = ANSWERS[error.code ?? ''] ?? BAD
  answerRaw(socket, status, { errors: [{ message, extensions: { code, retryable: false } }] })
}

/** Takes over the socket of a WebSocket upgrade. */
type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * Passes on WebSocket upgrades of one path. Any other upgrade (`h2c`, which curl --http2 and some Java
 * clients ask for) is answered as if it had not been requested, as HTTP says (RFC 9110, 7.8). Node emits
 * 'upgrade' either for all or for none.
 *
 * @param isAnswering whether an answer is still being sent on the socket
 */
function takeWebSockets(
  server: Server,
  path: string,
  { take, isAnswering }: { readonly take: TakeUpgrade; readonly isAnswering: (socket: Duplex) => boolean },
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const wanted = request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET'
    if (wanted && readRequestTarget(request.url).path === path) return take(request, socket, head)
    // The new answer would be mixed into the bytes of the previous one.
    if (isAnswering(socket)) return void socket.destroy()
    socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), 'latin1'), head]))
    server.emit('connection', socket)
  })
}

const OF_UPGRADE = new Set(['upgrade', 'http2-settings'])

/** The request as it was sent, without its upgrade headers. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const lower = name.toLowerCase()
    if (OF_UPGRADE.has(lower)) continue
    if (lower !== 'connection') lines.push(`${name}: ${value}`)
    else {
      const others = value.split(',').filter((token) => !OF_UPGRADE.has(token.trim().toLowerCase()))
      if (others.length > 0) lines.push(`${name}: ${others.join(',')}`)
    }
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/**
 * The policy of every answer that is not a page: it loads nothing, runs nothing and is in no frame, even if a
 * browser takes it for a page.
 */
const NO_CONTENT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer of every service. There is no Strict-Transport-Security: browsers ignore it without
 * TLS, and who ends TLS in front of Daybook knows for which names it may be said.
 */
export const SECURITY_HEADERS = {
  'content-security-policy': NO_CONTENT_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Sets them before anybody writes the answer, who may replace one. */
function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
  // Answers hold memories and keys: no cache between us and the client may keep them.
  response.setHeader('cache-control', 'no-store')
}
