import { answerProbe, sendJson } from '@daybook/runtime/probes'
import type { GatewayParts } from './context.ts'
import { answerKeyCode, sendError } from './http/failure.ts'
import { createReadiness } from './http/health.ts'
import { answerExport, answerImport } from './http/journal-transfer.ts'
import { METADATA } from './http/oauth.ts'
import { claimsOf, discardBody, type Exchange, type KnownExchange } from './http/request-context.ts'
import type { GraphQLServer } from './http/yoga.ts'
import { serveMcp } from './mcp/serve-mcp.ts'
import { JOURNAL_COST, REQUEST_COST } from './schema/limits.ts'
import type { Need } from './schema/resolve-in-project.ts'
import { answerQuestion, QUESTIONS, streamToFollower } from './sync/serve-sync.ts'

/** What a gateway answers at a path. One that ends in `/` stands for all below it, too. */
type Route = OpenRoute | KeyRoute

/** A route for everybody. */
interface OpenRoute {
  readonly path: string
  readonly needs: null
  /** Makes what answers; it returns false if it leaves that to the next route of the path. */
  readonly serve: (parts: GatewayParts) => (exchange: Exchange) => Promise<boolean>
}

/** A route for those who have a key. */
export interface KeyRoute {
  readonly path: string
  /** The scopes that the key must have, beside what the answer itself asks for. */
  readonly needs: readonly Need[]
  /** Null: the answer looks at it itself. */
  readonly method: 'GET' | 'POST' | null
  readonly cost: number
  /** Where no writer in quarantine may ask: in the project of the request, or nowhere if it is in quarantine in any. */
  readonly quarantine: 'project' | 'everywhere' | null
  /** Whether an answer may last, so that it has to end with its key. */
  readonly lasts: boolean
  /** Makes what answers. */
  readonly serve: (parts: GatewayParts, graphql: GraphQLServer) => (exchange: KnownExchange) => Promise<void>
}

const open = (path: string, serve: OpenRoute['serve']): Route => ({ path, needs: null, serve })

/** Answers operations, whose scopes and quarantines are asked for with each. */
const operations = (path: string, serve: KeyRoute['serve']): Route => ({
  path,
  needs: [],
  method: null,
  cost: REQUEST_COST,
  quarantine: null,
  lasts: false,
  serve,
})

const ofJournals = (
  path: string,
  rest: Pick<KeyRoute, 'needs' | 'method' | 'quarantine' | 'serve'>,
): Route => ({ path, cost: JOURNAL_COST, lasts: true, ...rest })

const ofFollowers = (path: string, rest: Pick<KeyRoute, 'needs' | 'method' | 'serve'>): Route => ({
  path,
  cost: REQUEST_COST,
  quarantine: 'project',
  lasts: true,
  ...rest,
})

const serveProbe: OpenRoute['serve'] = (parts) => {
  const probes = { ready: createReadiness(parts), metrics: parts.metrics }
  return ({ target, response }) => answerProbe(target.path, response, probes)
}

const serveConsole: OpenRoute['serve'] =
  ({ console }) =>
  async ({ request, response, target }) =>
    console !== null && console(request, response, target)

/** Tells clients where to get access tokens. They ask before they have one. */
const serveMetadata: OpenRoute['serve'] =
  ({ oauth }) =>
  async ({ request, response, target: { path } }) => {
    const metadata = oauth?.describe(path.slice(METADATA.length)) ?? null
    if (metadata === null) return false
    if (request.method === 'GET' || request.method === 'HEAD') sendJson(response, 200, metadata)
    else sendError(response, 405, 'METHOD_NOT_ALLOWED', `${path} takes GET only`, { allow: 'GET, HEAD' })
    discardBody(request)
    return true
  }

/**
 * All routes. The first one answers that has the path and does not leave it to the next. `test/src/isolation` asks each with
 * the keys of others.
 */
export const ROUTES: readonly Route[] = [
  open('/health', serveProbe),
  open('/ready', serveProbe),
  open('/metrics', serveProbe),
  open(METADATA, serveMetadata),
  open(`${METADATA}/`, serveMetadata),
  open('/console', serveConsole),
  open('/console/session', serveConsole),
  open('/console/assets/', serveConsole),
  open('/console/', serveConsole),
  open('/', serveConsole),
  open('/', () => async ({ response }) => {
    response.writeHead(302, { location: '/graphql' }).end()
    return true
  }),
  open('/graphql/key', ({ graphiql, codes }) => async ({ request, response }) => {
    if (graphiql !== null) await answerKeyCode(codes, request, response)
    return graphiql !== null
  }),
  open(
    '/graphql/',
    ({ graphiql }) =>
      async ({ request, response, target }) =>
        graphiql !== null && graphiql.answerFile(target.path, request, response),
  ),
  open('/graphql', ({ graphiql }) => async (exchange) => {
    if (graphiql === null || !asksForGraphiQL(exchange)) return false
    await graphiql.answer(exchange.request, exchange.response)
    return true
  }),
  operations('/graphql', (_, graphql) => async (exchange) => {
    const { request, response, target } = exchange
    // From a target in another form Yoga would build a different URL.
    request.url = target.relative
    await graphql(request, response, whoAsks(exchange))
  }),
  operations('/mcp', (parts, graphql) => {
    const answer = serveMcp(parts, graphql)
    return async (exchange) => {
      const { request, response, target } = exchange
      await answer(request, response, whoAsks(exchange), target.query.get('toolsets'))
    }
  }),
  ofJournals('/journal/export', {
    method: 'GET',
    needs: ['daybook', 'read'],
    quarantine: null,
    serve: (parts) => (exchange) => answerExport(parts, exchange),
  }),
  ofJournals('/journal/import', {
    method: 'POST',
    needs: ['daybook', 'write'],
    quarantine: 'everywhere',
    serve: (parts) => (exchange) => answerImport(parts, exchange),
  }),
  ofFollowers('/sync/journal', {
    method: 'GET',
    needs: ['read'],
    serve: (parts) => (exchange) => streamToFollower(parts, exchange),
  }),
  ...Object.entries(QUESTIONS).map(([path, question]) =>
    ofFollowers(path, {
      method: 'POST',
      needs: question.needs,
      serve: (parts) => (exchange) => answerQuestion(parts, question, exchange),
    }),
  ),
  ofFollowers('/sync/', {
    method: null,
    needs: [],
    serve:
      () =>
      async ({ request, response, target }) => {
        sendError(response, 404, 'NOT_FOUND', `There is nothing at ${target.path}`)
        discardBody(request)
      },
  }),
]

/** Whether the route is one of the path. */
export const isAt = ({ path: own }: Route, path: string): boolean =>
  own === path ||
  (own !== '/' && `${own}/` === path) ||
  (own.length > 1 && own.endsWith('/') && path.startsWith(own))

const whoAsks = ({ request, known, access }: KnownExchange) => ({
  ...known,
  access,
  connection: request.socket,
  claims: claimsOf(request.headers),
})

/** Whether a browser opens GraphiQL. The page is the same for everybody; its requests need a key. */
function asksForGraphiQL({ request: { method, headers }, target: { query } }: Exchange): boolean {
  const reads = method === 'GET' || method === 'HEAD'
  return reads && (headers.accept ?? '').includes('text/html') && !query.has('query')
}
