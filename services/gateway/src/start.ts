import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DaybookError } from '@daybook/memory/errors'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { VERSION } from '@daybook/runtime/version'
import { type Authenticate, createAuthenticate } from './authenticate.ts'
import { readiness } from './http/health.ts'
import { sendError, sendJson } from './http/json-response.ts'
import { serveWebSocket } from './http/websocket.ts'
import { createGraphQL, type GraphQLServer } from './http/yoga.ts'
import type { GatewayParts } from './parts.ts'

export interface Gateway {
  /** `http://127.0.0.1:4000` */
  readonly url: string
  /** Takes no new requests, finishes those under way and ends subscriptions. */
  stop(): Promise<void>
}

/**
 * Serves the API: `/graphql` (HTTP, SSE, WebSocket, GraphiQL for browsers), `/health` (the process lives), `/ready`
 * (it can serve).
 * @throws DaybookError CONFIGURATION where the address cannot be listened on
 */
export async function startGateway(
  parts: GatewayParts,
  at: { host: string; port: number },
): Promise<Gateway> {
  const authenticate = createAuthenticate(parts.db)
  const closing = new AbortController()
  const graphql = createGraphQL(parts, closing.signal)
  const server = createServer((request, response) => {
    handle(parts, graphql, authenticate, request, response).catch((error: unknown) =>
      answerFailure(parts, response, error),
    )
  })
  const closeWebSockets = serveWebSocket(server, graphql, authenticate)
  await listen(server, at)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      closing.abort()
      await closeWebSockets()
      // Connections fall idle as their last answers are sent. Whatever is still under way at the end has had its time.
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await parts.writer.drained()
      await closed
      clearInterval(idle)
      clearTimeout(timer)
    },
  }
}

/** How long requests under way may take after the stop, in milliseconds. */
const GRACE_MS = 3_000

async function handle(
  parts: GatewayParts,
  graphql: GraphQLServer,
  authenticate: Authenticate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/health') return sendJson(response, 200, { status: 'ok', version: VERSION })
  if (pathname === '/ready') {
    const { ready, problems } = await readiness(parts)
    return sendJson(response, ready ? 200 : 503, { ready, problems })
  }
  if (pathname === '/') {
    response.writeHead(302, { location: '/graphql' }).end()
    return
  }
  if (pathname !== '/graphql')
    return sendError(response, 404, 'NOT_FOUND', `There is nothing at ${pathname}: the API is at /graphql`)

  const access = await authenticate(request.headers.authorization)
  if (access === null && !asksForGraphiQL(request)) {
    request.resume()
    return sendError(
      response,
      401,
      'UNAUTHENTICATED',
      'A valid API key is needed: send it as "Authorization: Bearer <key>". The daemon keeps the first one in <data folder>/api-key',
      { 'www-authenticate': 'Bearer realm="daybook"' },
    )
  }
  const correlation = request.headers['x-correlation-id']
  await graphql(request, response, {
    access,
    correlationId: typeof correlation === 'string' && correlation.length <= 128 ? correlation : null,
  })
}

/** What could not be answered at all: because the database is away, or through a fault of ours. */
function answerFailure({ logger }: GatewayParts, response: ServerResponse, error: unknown): void {
  const away = isDatabaseUnavailable(error)
  logger[away ? 'warn' : 'error']({ error }, 'a request could not be answered')
  if (response.headersSent) response.destroy()
  else if (away)
    sendError(response, 503, 'UNAVAILABLE', 'The database cannot be reached now: try again in a moment', {
      'retry-after': '1',
    })
  else sendError(response, 500, 'INTERNAL', 'Something went wrong inside Daybook; its log says what')
}

/** A browser that opens the page: it is the same for everybody and asks for the data with a key. */
function asksForGraphiQL({ method, headers, url }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').includes('text/html') && !(url ?? '').includes('query=')
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message
      reject(
        new DaybookError(
          'CONFIGURATION',
          `Daybook cannot listen on ${host}:${port}: ${why}. Choose another with DAYBOOK_HOST and DAYBOOK_PORT.`,
        ),
      )
    })
    server.listen(port, host, resolve)
  })
}
