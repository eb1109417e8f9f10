import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { listen } from '@daybook/runtime/listen'
import { withLogFields } from '@daybook/runtime/log-fields'
import { answerProbe } from '@daybook/runtime/probes'
import { type Authenticate, createAuthenticate } from './authenticate.ts'
import { readiness } from './http/health.ts'
import { sendError } from './http/json-response.ts'
import { type RequestContext, readRequestContext } from './http/request-context.ts'
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
 * (it can serve), `/metrics`.
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
    const known = readRequestContext(request.headers)
    void withLogFields({ correlationId: known.correlationId }, () =>
      handle(parts, graphql, authenticate, known, request, response).catch((error: unknown) =>
        answerFailure(parts, response, error),
      ),
    )
  })
  const closeWebSockets = serveWebSocket(server, graphql, authenticate)
  const url = await listen(server, at)
  return {
    url,
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
  known: Omit<RequestContext, 'access'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const probes = { ready: () => readiness(parts), metrics: parts.metrics ?? null }
  if (await answerProbe(pathname, response, probes)) return
  response.setHeader('x-correlation-id', known.correlationId)
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
  await graphql(request, response, { ...known, access })
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
