import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHttpServer } from '@daybook/runtime/http/http-server'
import type { RequestTarget } from '@daybook/runtime/http/request-target'
import { withLogFields } from '@daybook/runtime/log-fields'
import { answerProbe, type Readiness } from '@daybook/runtime/probes'
import { type Authenticate, createAuthenticate } from './authenticate.ts'
import { requireScopes } from './http/check-scopes.ts'
import { discardBody } from './http/discard-body.ts'
import { failureOf } from './http/failure.ts'
import { createGraphiQLPage, type GraphiQLPage } from './http/graphiql-page.ts'
import { createReadiness } from './http/health.ts'
import { answerExport } from './http/journal-export.ts'
import { answerImport } from './http/journal-import.ts'
import { sendError, sendFailure } from './http/json-response.ts'
import { readRequestContext } from './http/request-context.ts'
import { serveWebSocket } from './http/websocket.ts'
import { createGraphQL, type GraphQLServer } from './http/yoga.ts'
import { createKeyUses } from './key-uses.ts'
import type { GatewayParts } from './parts.ts'
import { createLimitChecks } from './project-limits.ts'
import { createJournalNews } from './subscriptions/journal-news.ts'
import { createOpenSubscriptions, type OpenSubscriptions } from './subscriptions/open-subscriptions.ts'

/** A gateway that serves. */
export interface Gateway {
  /** `http://127.0.0.1:4000` */
  readonly url: string
  /** Accepts no new requests, finishes those under way and ends subscriptions. */
  stop(): Promise<void>
}

/**
 * Serves the API: `/graphql` (HTTP, SSE, WebSocket, GraphiQL for browsers), `/journal/export` and
 * `/journal/import`, `/health` (the process lives), `/ready` (it can serve), `/metrics`.
 * @throws DaybookError CONFIGURATION if it cannot listen on the address
 */
export async function startGateway(
  given: GatewayParts,
  at: { host: string; port: number },
): Promise<Gateway> {
  const limits = createLimitChecks(given.db)
  const parts = { ...given, writer: limits.limit(given.writer) }
  const uses = createKeyUses(parts.db, parts.logger)
  const authenticate = createAuthenticate(parts.db, uses)
  const closing = new AbortController()
  const subscriptions = createOpenSubscriptions({
    ...parts,
    limits: parts.config.subscriptions,
    onKeysChanged: authenticate.forget,
  })
  const news = createJournalNews(parts)
  const graphql = createGraphQL(parts, {
    news,
    subscriptions,
    limits,
    forgetKeys: authenticate.forget,
  })
  const routes: Routes = {
    parts,
    ready: createReadiness(parts),
    graphql,
    graphiql: parts.config.graphiql ? createGraphiQLPage() : null,
    authenticate,
    hold: subscriptions.hold,
    closing: closing.signal,
  }
  const server = createHttpServer({
    logger: parts.logger,
    limits: parts.config.httpLimits,
    // An import takes as long as its file needs, so `limitUpload` limits the body's time per request instead.
    requestTimeoutMs: 0,
    handle(request, response, target) {
      const known = readRequestContext(request.headers)
      return withLogFields({ correlationId: known.correlationId }, () =>
        handle(routes, known, { request, response, target }).catch((error: unknown) =>
          answerFailure(parts, request, response, error),
        ),
      )
    },
  })
  const closeWebSockets = serveWebSocket(server, graphql, {
    ...parts,
    authenticate,
    hold: subscriptions.hold,
  })
  const url = await server.listen(at)
  return {
    url,
    async stop() {
      const closed = server.stop(GRACE_MS)
      closing.abort()
      subscriptions.stop()
      news.stop()
      await closeWebSockets()
      await parts.writer.drained()
      await closed
      await uses.stop()
    },
  }
}

/** How long requests under way may take after a stop, in milliseconds. */
const GRACE_MS = 3_000

/** How long a request's body may take to arrive, in milliseconds; an import's has no limit. */
const UPLOAD_MS = 300_000

interface Routes {
  readonly parts: GatewayParts
  readonly ready: () => Promise<Readiness>
  readonly graphql: GraphQLServer
  /** Null if it is switched off. */
  readonly graphiql: GraphiQLPage | null
  readonly authenticate: Authenticate
  readonly hold: OpenSubscriptions['hold']
  readonly closing: AbortSignal
}

/** The routes beside `/graphql`: they need a key that runs the whole Daybook, with another scope besides. */
const JOURNAL_ROUTES = {
  '/journal/export': { method: 'GET', needs: ['daybook', 'read'], answer: answerExport },
  '/journal/import': { method: 'POST', needs: ['daybook', 'write'], answer: answerImport },
} as const

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
}

async function handle(
  { parts, ready, graphql, graphiql, authenticate, hold, closing }: Routes,
  known: ReturnType<typeof readRequestContext>,
  { request, response, target }: Exchange,
): Promise<void> {
  const pathname = target.path
  if (pathname !== '/journal/import') limitUpload(request)
  const probes = { ready, metrics: parts.metrics }
  if (await answerProbe(pathname, response, probes)) return
  response.setHeader('x-correlation-id', known.correlationId)
  if (pathname === '/') {
    response.writeHead(302, { location: '/graphql' }).end()
    return
  }
  const route = Object.entries(JOURNAL_ROUTES).find(([path]) => path === pathname)?.[1]
  if (pathname !== '/graphql' && route === undefined)
    return sendError(response, 404, 'NOT_FOUND', `There is nothing at ${pathname}: the API is at /graphql`)
  if (route === undefined && graphiql !== null && asksForGraphiQL(request, target))
    return graphiql.answer(request, response)

  parts.activity?.touch()
  const { authorization, 'x-daybook-project': project } = request.headers
  const access = await authenticate({ authorization, project: project?.toString() })
  if (route === undefined) {
    // From a target in another form Yoga would build a different URL.
    request.url = target.relative
    return graphql(request, response, { ...known, access, connection: request.socket })
  }

  requireScopes(
    access,
    route.needs.map((scope) => ({ scope, field: pathname })),
  )
  if (request.method === route.method) {
    const ended = new AbortController()
    const release = hold(access, () => ended.abort())
    const signal = AbortSignal.any([closing, ended.signal])
    return route.answer({ ...parts, authenticate, closing: signal }, request, response).finally(release)
  }
  sendError(response, 405, 'METHOD_NOT_ALLOWED', `${pathname} takes ${route.method} only`, {
    allow: route.method,
  })
  discardBody(request)
}

/** Limits the time of one request's body: Node's own limit is the same for all requests. */
function limitUpload(request: IncomingMessage): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, UPLOAD_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

/**
 * Answers a request that failed: it was refused, the database is unavailable, or there is an internal error.
 */
function answerFailure(
  { logger }: GatewayParts,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const failure = failureOf(error)
  const level = failure.code === 'INTERNAL' ? 'error' : failure.status === 503 ? 'warn' : 'info'
  logger[level]({ error }, 'a request could not be answered')
  if (response.headersSent) response.destroy()
  else sendFailure(response, failure)
  discardBody(request)
}

/** Whether a browser opens GraphiQL. The page is the same for everybody; its requests need a key. */
function asksForGraphiQL({ method, headers }: IncomingMessage, { query }: RequestTarget): boolean {
  const reads = method === 'GET' || method === 'HEAD'
  return reads && (headers.accept ?? '').includes('text/html') && !query.has('query')
}
