import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Embedders, wrapEmbedders } from '@daybook/embeddings/embedders'
import { rememberQueries } from '@daybook/embeddings/remember-queries'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { type Database, withTimeout } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/run-process'
import type { PositionSignal } from '@daybook/projection/positions/positions'
import type { Config } from '@daybook/runtime/config'
import { createHttpServer, type RequestTarget } from '@daybook/runtime/http/http-server'
import { createTrustedNames, type TrustedNames } from '@daybook/runtime/http/trusted-names'
import { withLogFields } from '@daybook/runtime/logger'
import { type Activity } from '@daybook/runtime/loop'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import { answerProbe, type Readiness } from '@daybook/runtime/probes'
import { createTokenBitsCache } from '@daybook/search/late-interaction/token-bits-cache'
import type { WithoutTerms } from '@daybook/search/ranking/terms'
import type { HomeOf } from '@daybook/sync/follower/home-client'
import type { Sync } from '@daybook/sync/follower/start-sync'
import type { Bus } from '@daybook/transport/bus'
import { type Authenticate, createAuthenticate, createKeyUses } from './authenticate.ts'
import {
  type AnswerConsole,
  findConsoleFolder,
  makeLoginLink,
  serveConsole,
  sessionIn,
} from './console/serve-console.ts'
import type { GatewayParts } from './context.ts'
import { noteExpiries, startExpiry } from './expiry/start-expiry.ts'
import { answerCors, judgeNames } from './http/cors.ts'
import {
  answerKeyCode,
  createKeyCodes,
  failureOf,
  type KeyCodes,
  keyEnded,
  sendError,
  sendFailure,
} from './http/failure.ts'
import { createGraphiQLPage, type GraphiQLPage } from './http/graphiql.ts'
import { createReadiness } from './http/health.ts'
import { answerExport, answerImport } from './http/journal-transfer.ts'
import { createKeyBudget, createKeyStreams, type KeyBudget } from './http/key-budget.ts'
import { claimsOf, readRequestContext } from './http/request-context.ts'
import { discardBody, JOURNAL_COST, limitUpload, REQUEST_COST } from './http/request-limits.ts'
import { serveWebSocket } from './http/websocket.ts'
import { createGraphQL, type GraphQLServer, requireScopes } from './http/yoga.ts'
import { type AnswerMcp, serveMcp } from './mcp/serve-mcp.ts'
import { openSearchEngines } from './open-search-engines.ts'
import { createLimitChecks } from './project-limits.ts'
import { createQuarantineChecks, type QuarantineChecks } from './quarantine/quarantine-checks.ts'
import { createJournalNews } from './subscriptions/journal-news.ts'
import { createOpenSubscriptions, type OpenSubscriptions } from './subscriptions/open-subscriptions.ts'
import { type AnswerSync, serveSync } from './sync/serve-sync.ts'

/** A gateway that serves. */
export interface Gateway {
  /** `http://127.0.0.1:4000` */
  readonly url: string
  /**
   * The address of GraphiQL, with a code that hands the key to the page once within 10 minutes. Null if GraphiQL is
   * switched off.
   */
  graphiqlLink(key: string): string | null
  /**
   * The address of the web console that logs its first visitor in with the rights of the key, once within 5 minutes.
   * Null if this gateway serves no console.
   */
  consoleLink(key: string): Promise<string | null>
  /** Accepts no new requests, finishes those under way and ends subscriptions. */
  stop(): Promise<void>
}

/**
 * Serves the web console for browsers, and the API: `/graphql` (HTTP, SSE, WebSocket, GraphiQL for browsers), `/mcp` (for
 * agents), `/journal/export` and `/journal/import`, `/sync/…` (for Daybooks that follow projects of this one), `/health` (the process lives), `/ready` (it can serve), `/metrics`.
 * @throws DaybookError CONFIGURATION if it cannot listen on the address
 */
export async function startGateway(
  given: GatewayParts,
  at: { host: string; port: number },
): Promise<Gateway> {
  const limits = createLimitChecks(given.db)
  const quarantines = createQuarantineChecks(given.db)
  const tokenBits = createTokenBitsCache()
  const parts = { ...given, writer: quarantines.refuseAgents(limits.limit(given.writer)) }
  const { config } = parts
  const uses = createKeyUses(parts.db, parts.logger)
  const authenticate = createAuthenticate(parts.db, uses, config.console.sessionIdleMs)
  const names = createTrustedNames({ ...config, host: at.host })
  const budget = createKeyBudget(config.work)
  const streams = createKeyStreams(config.streams.perKey)
  const codes = createKeyCodes()
  const closing = new AbortController()
  const subscriptions = createOpenSubscriptions({
    ...parts,
    limits: config.subscriptions,
    streams,
    sessionIdleMs: config.console.sessionIdleMs,
    onKeysChanged: authenticate.forget,
  })
  const news = createJournalNews(parts)
  const graphql = createGraphQL(
    { ...parts, budget },
    {
      news,
      subscriptions,
      limits,
      quarantines,
      tokenBits,
      liveModel: { modelId: null },
      forgetKeys: authenticate.forget,
    },
  )
  const folder = config.console.enabled ? findConsoleFolder(config.console.folder) : null
  const routes: Routes = {
    parts,
    console:
      folder === null ? null : serveConsole(folder, { ...parts, ...config.console, authenticate, budget }),
    ready: createReadiness(parts),
    graphql,
    mcp: serveMcp(parts, graphql),
    sync: serveSync(parts, { news, onHandedOver: () => parts.sync?.look() }),
    graphiql: config.graphiql ? createGraphiQLPage() : null,
    authenticate,
    quarantines,
    hold: subscriptions.hold,
    names,
    budget,
    codes,
    closing: closing.signal,
  }
  const server = createHttpServer({
    logger: parts.logger,
    limits: config.httpLimits,
    // An import takes as long as its file needs, so `limitUpload` limits each request's time instead.
    limitsBodies: true,
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
    names,
    budget,
    streams,
  })
  const url = await server.listen(at)
  return {
    url,
    async consoleLink(key) {
      if (folder === null) return null
      return (
        url +
        (await makeLoginLink(parts.db, await authenticate({ authorization: `Bearer ${key}`, project: null })))
          .path
      )
    },
    graphiqlLink: (key) => (config.graphiql ? `${url}/graphql#code=${codes.offer(key)}` : null),
    async stop() {
      const closed = server.stop(GRACE_MS)
      closing.abort()
      await Promise.all([subscriptions.stop(), news.stop(), closeWebSockets()])
      await parts.writer.drained()
      await closed
      await uses.stop()
      tokenBits.clear()
    },
  }
}

/** How long requests under way may take after a stop, in milliseconds. */
const GRACE_MS = 3_000

interface Routes {
  readonly parts: GatewayParts
  readonly ready: () => Promise<Readiness>
  readonly graphql: GraphQLServer
  readonly mcp: AnswerMcp
  readonly sync: AnswerSync
  /** Null if it is switched off. */
  readonly graphiql: GraphiQLPage | null
  /** Null if it is switched off, or was not built. */
  readonly console: AnswerConsole | null
  readonly authenticate: Authenticate
  readonly quarantines: QuarantineChecks
  readonly hold: OpenSubscriptions['hold']
  readonly names: TrustedNames
  readonly budget: KeyBudget
  readonly codes: KeyCodes
  readonly closing: AbortSignal
}

/** The routes beside `/graphql`: they need a key that runs the whole Daybook, with another scope besides. */
const JOURNAL_ROUTES = {
  '/journal/export': { method: 'GET', needs: ['daybook', 'read'], writes: false, answer: answerExport },
  '/journal/import': { method: 'POST', needs: ['daybook', 'write'], writes: true, answer: answerImport },
} as const

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly target: RequestTarget
}

async function handle(
  routes: Routes,
  known: ReturnType<typeof readRequestContext>,
  { request, response, target }: Exchange,
): Promise<void> {
  const {
    parts,
    ready,
    graphql,
    mcp,
    sync,
    graphiql,
    authenticate,
    quarantines,
    hold,
    names,
    budget,
    codes,
    closing,
  } = routes
  const pathname = target.path
  limitUpload(request, {
    timeoutMs: parts.config.httpLimits.requestTimeoutMs,
    whileSilent: pathname === '/journal/import',
  })
  const foreign = judgeNames(names, request, target)
  if (foreign !== null) {
    sendError(response, foreign.status, foreign.code, foreign.message)
    return discardBody(request)
  }
  if (answerCors(names, request, response)) return
  const probes = { ready, metrics: parts.metrics }
  if (await answerProbe(pathname, response, probes)) return
  response.setHeader('x-correlation-id', known.correlationId)
  if (routes.console !== null && (await routes.console(request, response, target))) return
  if (pathname === '/') {
    response.writeHead(302, { location: '/graphql' }).end()
    return
  }
  if (graphiql !== null) {
    if (pathname === '/graphql/key') return answerKeyCode(codes, request, response)
    if (await graphiql.answerFile(pathname, request, response)) return
  }
  const route = Object.entries(JOURNAL_ROUTES).find(([path]) => path === pathname)?.[1]
  const isSync = pathname.startsWith('/sync/')
  if (!['/graphql', '/mcp'].includes(pathname) && !isSync && route === undefined)
    return sendError(
      response,
      404,
      'NOT_FOUND',
      `There is nothing at ${pathname}: the API is at /graphql, for agents at /mcp`,
    )
  if (pathname === '/graphql' && graphiql !== null && asksForGraphiQL(request, target))
    return graphiql.answer(request, response)

  parts.activity?.touch()
  const { authorization, 'x-daybook-project': project } = request.headers
  // Only the console's page asks with a cookie, and it asks GraphQL only.
  const session = pathname === '/graphql' ? sessionIn(request.headers, { proof: 'header' }) : null
  const access = await authenticate({ authorization, project: project?.toString(), session })
  budget.spend(access.keyId, route === undefined ? REQUEST_COST : JOURNAL_COST)
  if (pathname === '/mcp') {
    const claims = claimsOf(request.headers)
    const asked = { ...known, access, connection: request.socket, claims }
    return mcp(request, response, asked, target.query.get('toolsets'))
  }
  if (isSync) {
    await quarantines.requireFree(access.projectId, { ...claimsOf(request.headers), key: access.keyId })
    const ended = new AbortController()
    const release = hold(access, () => ended.abort(keyEnded()))
    return sync(request, response, target, {
      access,
      closing: AbortSignal.any([closing, ended.signal]),
    }).finally(release)
  }
  if (route === undefined) {
    // From a target in another form Yoga would build a different URL.
    request.url = target.relative
    const claims = claimsOf(request.headers)
    return graphql(request, response, { ...known, access, connection: request.socket, claims })
  }

  requireScopes(
    access,
    route.needs.map((scope) => ({ scope, field: pathname })),
  )
  if (request.method === route.method) {
    if (route.writes)
      await quarantines.requireFreeEverywhere({ ...claimsOf(request.headers), key: access.keyId })
    const ended = new AbortController()
    const release = hold(access, () => ended.abort(keyEnded()))
    const signal = AbortSignal.any([closing, ended.signal])
    return route.answer({ ...parts, authenticate, closing: signal }, request, response).finally(release)
  }
  sendError(response, 405, 'METHOD_NOT_ALLOWED', `${pathname} takes ${route.method} only`, {
    allow: route.method,
  })
  discardBody(request)
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

/** What the gateway shares with other services in the same process. */
export interface SharedParts {
  readonly db: Database
  readonly bus: Bus
  /** From `openWriter`. */
  readonly writer: JournalWriter
  /** From there, too. */
  readonly homeOf: HomeOf
  /** What follows projects of other homes, if this process does that. */
  readonly sync?: Pick<Sync, 'look'> | undefined
  readonly signal: PositionSignal
  readonly embedders: Embedders
  readonly metrics: ServiceMetrics
  readonly activity?: Activity
  /** For evaluations: the terms that the ranking leaves out now. Default none. */
  readonly without?: WithoutTerms | undefined
}

/** Starts the gateway with its settings, and the expiry of memories. */
export async function serveGateway(
  config: Config,
  shared: SharedParts,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): Promise<Gateway> {
  const db = withTimeout(shared.db, config.statementTimeoutMs)
  const { activity } = shared
  const expiry = startExpiry({ db, writer: shared.writer, logger, activity })
  shutdown.add(expiry.stop, { part: 'the expiry of memories' })
  const writer = noteExpiries(shared.writer, expiry.note)
  const access = startAccessTracker(db, logger)
  shutdown.add(access.stop, { part: 'the uses of memories' })
  const engines = openSearchEngines(config, { logger, shutdown })
  const embedders = wrapEmbedders(shared.embedders, rememberQueries)
  const parts = { ...shared, db, embedders, engines, writer, access, logger, config }
  const gateway = await startGateway(parts, config)
  shutdown.add(gateway.stop, { part: 'the gateway' })
  return gateway
}
