import { wrapEmbedders } from '@daybook/embeddings/embedders'
import { rememberQueries } from '@daybook/embeddings/remember-queries'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { withTimeout } from '@daybook/postgres/connect'
import type { ProcessParts } from '@daybook/process/run-process'
import type { Config } from '@daybook/runtime/config'
import { createHttpServer } from '@daybook/runtime/http/http-server'
import { createTrustedNames } from '@daybook/runtime/http/trusted-names'
import { withLogFields } from '@daybook/runtime/logger'
import { createTokenBitsCache } from '@daybook/search/late-interaction/token-bits-cache'
import { createAuthenticate, createKeyUses } from './authenticate.ts'
import { findConsoleFolder, makeLoginLink, serveConsole, sessionIn } from './console/serve-console.ts'
import type { GatewayParts, GivenParts } from './context.ts'
import { startExpiry } from './expiry/start-expiry.ts'
import { answerCors, judgeNames, PROBES } from './http/cors.ts'
import { createKeyCodes, failureOf, keyEnded, sendError, sendFailure } from './http/failure.ts'
import { createGraphiQLPage } from './http/graphiql.ts'
import { createKeyBudget, createKeyStreams } from './http/key-budget.ts'
import { createOAuth } from './http/oauth.ts'
import {
  claimsOf,
  discardBody,
  type Exchange,
  type KnownExchange,
  readRequestContext,
} from './http/request-context.ts'
import { limitUpload } from './http/request-limits.ts'
import { serveWebSocket } from './http/websocket.ts'
import { createGraphQL, type GraphQLServer, requireScopes } from './http/yoga.ts'
import { openSearchEngines } from './open-search-engines.ts'
import { isAt, type KeyRoute, ROUTES } from './routes.ts'
import { createJournalNews } from './subscriptions/journal-news.ts'
import { createOpenSubscriptions } from './subscriptions/open-subscriptions.ts'
import { checkWrites, createLimitChecks, createQuarantineChecks } from './write-checks.ts'

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
 * agents), `/journal/export` and `/journal/import`, `/sync/…` (for Daybooks that follow projects of this one),
 * `/.well-known/oauth-protected-resource` (where clients get access tokens), `/health` (the process lives), `/ready` (it can serve),
 * `/metrics`.
 * @throws DaybookError CONFIGURATION if it cannot listen on the address
 */
export async function startGateway(given: GivenParts, at: { host: string; port: number }): Promise<Gateway> {
  const { config, db, logger } = given
  const { sessionIdleMs } = config.console
  const limits = createLimitChecks(db)
  const quarantines = createQuarantineChecks(db)
  const uses = createKeyUses(db, logger)
  const oauth = config.oauth === undefined ? null : createOAuth(config.oauth, given)
  const authenticate = createAuthenticate(db, uses, sessionIdleMs, oauth)
  const budget = createKeyBudget(config.work)
  const streams = createKeyStreams(config.streams.perKey)
  const folder = config.console.enabled ? findConsoleFolder(config.console.folder) : null
  const parts: GatewayParts = {
    ...given,
    writer: checkWrites(given.writer, [quarantines.agents, limits.queue], given.noteExpiry),
    authenticate,
    oauth,
    names: createTrustedNames({ ...config, host: at.host }),
    budget,
    streams,
    limits,
    quarantines,
    tokenBits: createTokenBitsCache(),
    liveModel: { modelId: null },
    news: createJournalNews(given),
    subscriptions: createOpenSubscriptions({
      ...given,
      limits: config.subscriptions,
      streams,
      sessionIdleMs,
      onKeysChanged: authenticate.forget,
    }),
    graphiql: config.graphiql ? createGraphiQLPage() : null,
    codes: createKeyCodes(),
    console: folder === null ? null : serveConsole(folder, { db, ...config.console, authenticate, budget }),
  }
  const closing = new AbortController()
  const graphql = createGraphQL(parts)
  const answer = serveRoutes(parts, graphql, closing.signal)
  const server = createHttpServer({
    logger,
    limits: config.httpLimits,
    // An import takes as long as its file needs, so `limitUpload` limits each request's time instead.
    limitsBodies: true,
    handle(request, response, target) {
      const known = readRequestContext(request.headers)
      return withLogFields({ correlationId: known.correlationId }, () =>
        answer({ request, response, target, known }).catch((error: unknown) =>
          answerFailure(parts, { request, response, target }, error),
        ),
      )
    },
  })
  const closeWebSockets = serveWebSocket(server, graphql, parts)
  const url = await server.listen(at)
  return {
    url,
    async consoleLink(key) {
      if (folder === null) return null
      return (
        url +
        (await makeLoginLink(db, await authenticate({ authorization: `Bearer ${key}`, project: null }))).path
      )
    },
    graphiqlLink: (key) => (config.graphiql ? `${url}/graphql#code=${parts.codes.offer(key)}` : null),
    async stop() {
      const closed = server.stop(GRACE_MS)
      closing.abort()
      await Promise.all([parts.subscriptions.stop(), parts.news.stop(), closeWebSockets()])
      await parts.writer.drained()
      await closed
      await uses.stop()
      parts.tokenBits.clear()
    },
  }
}

/** How long requests under way may take after a stop, in milliseconds. */
const GRACE_MS = 3_000

/** Creates what answers each request: what its route says, for whom the route says. */
function serveRoutes(
  parts: GatewayParts,
  graphql: GraphQLServer,
  closing: AbortSignal,
): (exchange: Exchange) => Promise<void> {
  const served = ROUTES.map((route) => {
    if (route.needs === null) return { route, answer: route.serve(parts) }
    const answer = route.serve(parts, graphql)
    return { route, answer: (exchange: Exchange) => answerKey(parts, route, answer, exchange, closing) }
  })
  return async (exchange) => {
    const { request, response, target, known } = exchange
    const { path } = target
    limitUpload(request, {
      timeoutMs: parts.config.httpLimits.requestTimeoutMs,
      whileSilent: path === '/journal/import',
    })
    const foreign = judgeNames(parts.names, request, target)
    if (foreign !== null) {
      sendError(response, foreign.status, foreign.code, foreign.message)
      return discardBody(request)
    }
    if (answerCors(parts.names, request, response)) return
    if (!PROBES.has(path)) response.setHeader('x-correlation-id', known.correlationId)
    for (const { route, answer } of served) if (isAt(route, path) && (await answer(exchange))) return
    sendError(
      response,
      404,
      'NOT_FOUND',
      `There is nothing at ${path}: the API is at /graphql, for agents at /mcp`,
    )
  }
}

/** Answers whoever has a key that the route lets in. @throws DaybookError */
async function answerKey(
  parts: GatewayParts,
  { path, method, needs, cost, quarantine, lasts }: KeyRoute,
  answer: (exchange: KnownExchange) => Promise<void>,
  exchange: Exchange,
  closing: AbortSignal,
): Promise<true> {
  const { authenticate, budget, quarantines, subscriptions } = parts
  const { request, response, target } = exchange
  parts.activity?.touch()
  const { authorization, 'x-daybook-project': project } = request.headers
  // Only the console's page asks with a cookie, and it asks GraphQL only.
  const session = path === '/graphql' ? sessionIn(request.headers, { proof: 'header' }) : null
  const access = await authenticate({ authorization, project: project?.toString(), session })
  budget.spend(access.keyId, cost)
  requireScopes(
    access,
    needs.map((scope) => ({ scope, field: target.path })),
  )
  if (method !== null && request.method !== method) {
    sendError(response, 405, 'METHOD_NOT_ALLOWED', `${path} takes ${method} only`, { allow: method })
    discardBody(request)
    return true
  }
  if (quarantine !== null) {
    const writer = { ...claimsOf(request.headers), key: access.keyId }
    if (quarantine === 'everywhere') await quarantines.requireFreeEverywhere(writer)
    else await quarantines.requireFree(access.projectId, writer)
  }
  if (!lasts) {
    await answer({ ...exchange, access, closing })
    return true
  }
  const ended = new AbortController()
  const release = subscriptions.hold(access, () => ended.abort(keyEnded()))
  await answer({ ...exchange, access, closing: AbortSignal.any([closing, ended.signal]) }).finally(release)
  return true
}

/**
 * Answers a request that failed: it was refused, the database is unavailable, or there is an internal error.
 */
function answerFailure(
  { logger, oauth }: GatewayParts,
  { request, response, target }: Pick<Exchange, 'request' | 'response' | 'target'>,
  error: unknown,
): void {
  const failure = failureOf(error)
  // A client that goes away in the middle of its request is no fault of ours.
  const isFault = failure.code === 'INTERNAL' && request.errored !== error
  const level = isFault ? 'error' : failure.status === 503 ? 'warn' : 'info'
  logger[level]({ error }, 'a request could not be answered')
  if (response.headersSent) response.destroy()
  else
    sendFailure(
      response,
      failure,
      oauth?.challenge(target.path, request.headers.authorization !== undefined, error),
    )
  discardBody(request)
}

/** Starts the gateway with its settings, and the expiry of memories. */
export async function serveGateway(
  config: Config,
  shared: Omit<GivenParts, 'access' | 'config' | 'engines' | 'logger' | 'noteExpiry'>,
  { logger, shutdown }: Pick<ProcessParts, 'logger' | 'shutdown'>,
): Promise<Gateway> {
  const db = withTimeout(shared.db, config.statementTimeoutMs)
  const { activity } = shared
  const expiry = startExpiry({ db, writer: shared.writer, logger, activity })
  shutdown.add(expiry.stop, { part: 'the expiry of memories' })
  const access = startAccessTracker(db, logger)
  shutdown.add(access.stop, { part: 'the uses of memories' })
  const engines = openSearchEngines(config, { logger, shutdown })
  const embedders = wrapEmbedders(shared.embedders, rememberQueries)
  const parts = { ...shared, db, embedders, engines, access, logger, config, noteExpiry: expiry.note }
  const gateway = await startGateway(parts, config)
  shutdown.add(gateway.stop, { part: 'the gateway' })
  return gateway
}
