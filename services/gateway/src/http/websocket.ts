import { DaybookError } from '@daybook/memory/errors'
import type { HttpServer } from '@daybook/runtime/http/http-server'
import { withLogFields } from '@daybook/runtime/log-fields'
import type { ExecutionArgs, GraphQLError } from 'graphql'
import { type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws'
import { WebSocketServer } from 'ws'
import type { Authenticate } from '../authenticate.ts'
import type { GatewayParts } from '../parts.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'
import { type SocketExtra, speakGraphQL } from './graphql-socket.ts'
import { createMaskError } from './mask-error.ts'
import { type RequestContext, readRequestContext } from './request-context.ts'
import type { GraphQLServer } from './yoga.ts'

/** Yoga's own `execute` or `subscribe`, as graphql-ws calls it. */
type Run = (args: ExecutionArgs) => unknown
type Enveloped = ExecutionArgs & {
  readonly rootValue: { readonly execute: Run; readonly subscribe: Run }
  readonly contextValue: RequestContext
}

type Connection = Context<Record<string, unknown> | undefined, SocketExtra>

/**
 * Serves subscriptions (and other operations) over WebSocket, protocol graphql-transport-ws. The key comes in
 * the upgrade's `Authorization` header, or as `Authorization` in the connection's parameters, because
 * browsers cannot set the header. It is checked for each operation: a connection may outlive its key.
 *
 * @returns a function that ends all connections and tells the clients that the server goes away
 */
export function serveWebSocket(
  server: Pick<HttpServer, 'takeWebSockets'>,
  graphql: GraphQLServer,
  { authenticate, ...parts }: GatewayParts & { readonly authenticate: Authenticate },
): () => Promise<void> {
  const { logger } = parts
  const mask = createMaskError(parts)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: REQUEST_LIMITS.bodyBytes,
    handleProtocols,
  })
  server.takeWebSockets('/graphql', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      sockets.emit('connection', webSocket, request),
    ),
  )

  const prepare = async (connection: Connection, payload: SubscribePayload) => {
    const access = await authenticate(authorizationOf(connection))
    if (access === null) throw new DaybookError('UNAUTHENTICATED', KEY_GONE)
    // Each operation counts as its own request. The connection's headers are as old as the connection, so
    // they do not apply.
    const request = { ...readRequestContext({}), access, connection: connection.extra.socket }
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
  }
  // An error becomes the answer to its operation. Thrown to graphql-ws, it would close the socket and end the
  // others too.
  const run = async (args: Enveloped, start: Run) => {
    try {
      const { correlationId } = args.contextValue
      return (await withLogFields({ correlationId }, async () => start(args))) as never
    } catch (error) {
      return { errors: [mask(error) as GraphQLError] } as never
    }
  }

  const service = makeServer<Record<string, unknown>, SocketExtra>({
    // Yoga's own functions, so that its plugins and limits apply here too.
    execute: (args) => run(args as Enveloped, (args as Enveloped).rootValue.execute),
    subscribe: (args) => run(args as Enveloped, (args as Enveloped).rootValue.subscribe),
    onConnect: async (connection) => {
      // Returning false closes the socket with 4403 Forbidden.
      if ((await authenticate(authorizationOf(connection))) === null) return false
      connection.extra.isUnderWay = (id) => id in connection.subscriptions
      return true
    },
    onSubscribe: async (connection, _id, payload) => {
      try {
        return await prepare(connection, payload)
      } catch (error) {
        return [mask(error) as GraphQLError]
      }
    },
  })
  sockets.on('connection', (socket, request) => speakGraphQL(service, { socket, request }, logger))
  return async () => {
    for (const socket of sockets.clients) socket.close(1001, 'Going away')
    sockets.close()
  }
}

const KEY_GONE = 'The key of this connection was revoked or has expired: connect again with a valid one'

function authorizationOf({ connectionParams, extra }: Connection): string | null {
  const parameter = connectionParams?.['Authorization'] ?? connectionParams?.['authorization']
  const given = extra.request.headers.authorization ?? parameter
  return typeof given === 'string' ? given : null
}
