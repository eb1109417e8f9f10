import { textOf } from '@daybook/api/graphql'
import { CHANGES, type Change } from '@daybook/mcp/changes'
import { ApiError, type Daybook } from '@daybook/mcp/daybook'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { prepareOperation } from '../http/prepare-operation.ts'
import type { KnownRequest } from '../http/request-context.ts'
import type { GraphQLServer } from '../http/yoga.ts'

/**
 * Asks this gateway's own GraphQL without the way over HTTP. Scopes, budgets, limits and deadlines hold as for every other
 * client, because they are Yoga's plugins.
 * @param mask what a client may see of an error
 */
export function askInProcess(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => Error,
): Daybook {
  return {
    async ask(document, variables, { agent }) {
      const { data, errors } = await run(graphql, asAgent(request, agent), mask, {
        query: textOf(document as never),
        variables: variables as Record<string, unknown>,
      })
      if (errors?.[0] !== undefined) throw apiError(errors[0])
      return data as never
    },
  }
}

/** Follows the journal of the request's project, until the signal or the key's end. @throws ApiError */
export async function* followInProcess(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => Error,
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
    throw error instanceof ApiError ? error : apiError(mask(error) as GraphQLError)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The writer that memories name: the agent that MCP's client is, unless a header says otherwise. */
const asAgent = (request: KnownRequest, agent: string | null): KnownRequest =>
  agent === null ? request : { ...request, claims: { agent, ...request.claims } }

async function run(
  graphql: GraphQLServer,
  request: KnownRequest,
  mask: (error: unknown) => Error,
  given: { readonly query: string; readonly variables: Record<string, unknown> },
): Promise<ExecutionResult> {
  try {
    const prepared = await prepareOperation(graphql, request, given)
    return 'args' in prepared
      ? ((await prepared.execute(prepared.args)) as ExecutionResult)
      : { errors: prepared }
  } catch (error) {
    return { errors: [mask(error) as GraphQLError] }
  }
}

function apiError({ message, extensions }: GraphQLError): ApiError {
  const { code, field, retryable } = extensions
  return new ApiError(typeof code === 'string' ? code : 'VALIDATION', message, {
    field: typeof field === 'string' ? field : null,
    retryable: retryable === true,
  })
}
