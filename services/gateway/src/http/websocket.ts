import type { Access } from '@daybook/postgres/access/api-keys'
import type { HttpServer } from '@daybook/runtime/http/http-server'
import { withLogFields } from '@daybook/runtime/log-fields'
import type { ExecutionArgs } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import type { Authenticate } from '../authenticate.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import { type RequestContext, readRequestContext } from './request-context.ts'
import type { GraphQLServer } from './yoga.ts'

/** Carries the request's own functions to where graphql-ws calls them. */
type Run = (args: ExecutionArgs) => never
type Enveloped = ExecutionArgs & {
  readonly rootValue: { readonly execute: Run; readonly subscribe: Run }
  readonly contextValue: RequestContext
}

/**
 * Subscriptions (and anything else) over WebSocket, protocol graphql-transport-ws. The key comes in the upgrade's
 * `Authorization` header, or as `Authorization` in the connection's parameters, as browsers cannot set the header.
 *
 * @returns ends all connections, telling the clients that the server goes away
 */
export function serveWebSocket(
  server: Pick<HttpServer, 'takeWebSockets'>,
  graphql: GraphQLServer,
  authenticate: Authenticate,
): () => Promise<void> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: REQUEST_LIMITS.bodyBytes })
  server.takeWebSockets('/graphql', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit('connection', webSocket, request),
    ),
  )
  const accesses = new WeakMap<object, Access>()
  const service = useServer(
    {
      // Yoga's own, so that its plugins and limits hold here too.
      execute: (args) => withRequest(args as Enveloped, (given) => given.rootValue.execute(given)),
      subscribe: (args) => withRequest(args as Enveloped, (given) => given.rootValue.subscribe(given)),
      onConnect: async (connection) => {
        const parameter =
          connection.connectionParams?.['Authorization'] ?? connection.connectionParams?.['authorization']
        const given = connection.extra.request.headers.authorization ?? parameter
        const access = await authenticate(typeof given === 'string' ? given : null)
        // false closes the socket with 4403 Forbidden.
        if (access === null) return false
        accesses.set(connection.extra.socket, access)
        return true
      },
      onSubscribe: async (connection, _id, payload) => {
        // Each operation is a request of its own: the connection's headers are as old as the connection.
        const request = { ...readRequestContext({}), access: accesses.get(connection.extra.socket) ?? null }
        const enveloped = graphql.getEnveloped({ ...request, params: payload })
        const { schema, execute, subscribe, contextFactory, parse, validate } = enveloped
        const document = parse(payload.query)
        const errors = validate(schema, document)
        if (errors.length > 0) return errors
        const args = {
          schema,
          operationName: payload.operationName,
          document,
          variableValues: payload.variables,
          contextValue: await contextFactory(),
        }
        return { ...args, rootValue: { execute, subscribe } } as never
      },
    },
    sockets,
  )
  return async () => {
    await service.dispose()
    sockets.close()
  }
}

/** Log lines written on the way say for which operation. */
function withRequest(args: Enveloped, run: (args: Enveloped) => never): never {
  return withLogFields({ correlationId: args.contextValue.correlationId }, () => run(args))
}
