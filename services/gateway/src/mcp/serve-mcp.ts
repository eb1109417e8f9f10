import type { IncomingMessage, ServerResponse } from 'node:http'
import { type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { CHANGES, type Change, changeBus } from '@daybook/mcp/changes'
import { jsonIn, withoutNulls } from '@daybook/mcp/json-schema'
import { createReceipts, type Receipts } from '@daybook/mcp/receipts'
import { createMcpServer } from '@daybook/mcp/server'
import { ApiError, type Daybook } from '@daybook/mcp/session'
import { TOOLS } from '@daybook/mcp/tools/index'
import { readToolsets } from '@daybook/mcp/toolsets'
import { ValidationError } from '@daybook/memory/errors'
import { lossOf } from '@daybook/memory/json-problem'
import type { Access, Scope } from '@daybook/postgres/access/api-keys'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createServerAdapter } from '@whatwg-node/server'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { GatewayParts } from '../context.ts'
import { createMaskError } from '../http/failure.ts'
import { InsufficientScopeError } from '../http/oauth.ts'
import { type KnownRequest, readText } from '../http/request-context.ts'
import { type GraphQLServer, prepareOperation } from '../http/yoga.ts'
import { REQUEST_LIMITS } from '../schema/limits.ts'

/** Answers one request to `/mcp`, whose key is known. */
export type AnswerMcp = (
  request: IncomingMessage,
  response: ServerResponse,
  known: KnownRequest,
  /** `?toolsets=`; null if it is absent. */
  toolsets: string | null,
) => Promise<void>

/**
 * Serves the Model Context Protocol over streamable HTTP: the revision 2026-07-28, and those of 2025 without sessions. Every
 * request has a server of its own, so gateways share nothing but Daybook.
 */
export function serveMcp(parts: GatewayParts, graphql: GraphQLServer): AnswerMcp {
  const { config, logger } = parts
  const mask = createMaskError(parts)
  const receiptsOf = receiptsOfKeys()
  return async (request, response, known, toolsets) => {
    const shown = choose(toolsets ?? config.mcpToolsets.join(','))
    const parsedBody = request.method === 'POST' ? await readMessages(request, known.access) : undefined
    const handler = createMcpHandler(
      ({ era }) =>
        createMcpServer({
          daybook: askInProcess(graphql, known, mask),
          receipts: receiptsOf(known.access.keyId, known.access.projectId),
          context: null,
          toolsets: shown,
          // Without a session there is nobody to tell.
          subscribable: era === 'modern',
          onError: (error) => logger.error({ error }, 'a tool failed unexpectedly'),
        }),
      {
        bus: changeBus(
          (signal) => followInProcess(graphql, known, mask, signal),
          (error) => {
            if (error !== null) logger.info({ error }, 'a client of MCP is no longer told of changes')
            void handler.close()
          },
        ),
        maxRequestBodySize: REQUEST_LIMITS.bodyBytes,
      },
    )
    const adapter = createServerAdapter((asked) => handler.fetch(asked, { parsedBody }))
    await adapter(request, response)
  }
}

/** A message of a client, as far as it says what its scopes must allow. */
interface Message {
  readonly method?: unknown
  readonly params?: { readonly name?: unknown }
}

/**
 * Reads what a client sends, and refuses what a token's scopes do not allow before anything is answered, because only by an HTTP
 * status does a client know that it can get a token that may do it. To a key, which nobody can give a scope, the tool itself says
 * what is missing.
 * @returns the body; undefined if it is no JSON, which the SDK says
 * @throws InsufficientScopeError; ValidationError if the body is too long
 */
async function readMessages(request: IncomingMessage, { tokenEndsAt, scopes }: Access): Promise<unknown> {
  const text = await readText(request, REQUEST_LIMITS.bodyBytes)
  const body = jsonIn(text)
  if (body === text) return undefined
  const loss = lossOf(text)
  if (loss !== null) throw new ValidationError('body', loss)
  if (tokenEndsAt !== undefined)
    for (const message of [body].flat() as (Message | null)[]) {
      const needed = neededBy(message ?? {})
      if (needed !== null && !scopes.has(needed.scope))
        throw new InsufficientScopeError(
          `This access token lacks the scope daybook:${needed.scope}, which "${needed.by}" needs`,
          [...scopes, needed.scope],
        )
    }
  return withoutNulls(body)
}

function neededBy({ method, params }: Message): { readonly scope: Scope; readonly by: string } | null {
  if (method === 'resources/read' || method === 'prompts/get' || method === 'subscriptions/listen')
    return { scope: 'read', by: method }
  const tool = method === 'tools/call' ? TOOLS.find(({ name }) => name === params?.name) : undefined
  return tool === undefined ? null : { scope: tool.effect === 'reads' ? 'read' : 'write', by: tool.name }
}

function choose(toolsets: string) {
  try {
    return readToolsets(toolsets)
  } catch (error) {
    if (error instanceof ApiError) throw new ValidationError('toolsets', error.message)
    throw error
  }
}

/**
 * Asks this gateway's own GraphQL without the way over HTTP. Scopes, budgets, limits and deadlines hold as for every other
 * client, because they are Yoga's plugins.
 * @param mask what a client may see of an error
 */
function askInProcess(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => GraphQLError,
): Daybook {
  return {
    async ask(document, variables, { agent }) {
      const given = variables as Record<string, unknown>
      const { data, errors } = await run(graphql, asAgent(request, agent), mask, document, given)
      if (errors?.[0] !== undefined) throw apiError(errors[0])
      return data!
    },
  }
}

/** Follows the journal of the request's project, until the signal or the key's end. @throws ApiError */
async function* followInProcess(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => GraphQLError,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  const prepared = await prepareOperation(graphql, request, { query: textOf(CHANGES) })
  if (!('args' in prepared)) throw apiError(prepared[0] as GraphQLError)
  const followed = (await prepared.subscribe(prepared.args)) as
    | AsyncIterableIterator<ExecutionResult<{ readonly events: Change }>>
    | ExecutionResult
  if (!(Symbol.asyncIterator in followed)) throw apiError(followed.errors?.[0] as GraphQLError)
  const stop = () => void followed.return?.()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const { data, errors } of followed) {
      if (errors?.[0] !== undefined) throw apiError(errors[0])
      if (data != null) yield data.events
    }
  } catch (error) {
    throw error instanceof ApiError ? error : apiError(mask(error))
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The writer that memories name: the agent that MCP's client is, unless a header says otherwise. */
const asAgent = (request: KnownRequest, agent: string | null): KnownRequest =>
  agent === null ? request : { ...request, claims: { agent, ...request.claims } }

async function run<Result>(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => GraphQLError,
  document: GraphQLDocument<Result>,
  variables: Record<string, unknown>,
): Promise<ExecutionResult<Result>> {
  try {
    const prepared = await prepareOperation(graphql, request, { query: textOf(document), variables })
    return 'args' in prepared
      ? ((await prepared.execute(prepared.args)) as ExecutionResult<Result>)
      : { errors: prepared }
  } catch (error) {
    return { errors: [mask(error)] }
  }
}

function apiError({ message, extensions }: GraphQLError): ApiError {
  const { code, field, retryable } = extensions
  return new ApiError(typeof code === 'string' ? code : 'VALIDATION', message, {
    field: typeof field === 'string' ? field : null,
    retryable: retryable === true,
  })
}

/** How many keys' receipts are kept, some 100 bytes each. Of one that is not, reads wait for nothing. */
const KEPT = 10_000

/** The receipts of each key in each project: over HTTP a client is a key. */
function receiptsOfKeys(): (keyId: string, projectId: string | null) => Receipts {
  const kept = new LRUCache<string, Receipts>({ max: KEPT })
  return (keyId, projectId) => {
    const name = `${keyId}/${projectId}`
    const receipts = kept.get(name) ?? createReceipts()
    kept.set(name, receipts)
    return receipts
  }
}
