import { HANGS_MS } from './child-process.ts'

/** A GraphQL answer. It may have both data and errors, because GraphQL may fail in part. */
export interface GraphQLAnswer<Data> {
  readonly data: Data | null
  readonly errors: readonly GraphQLFailure[]
}

/** An error in a GraphQL answer. */
export interface GraphQLFailure {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: { readonly code?: string; readonly retryable?: boolean }
}

/**
 * There was no answer: the connection was refused or broke, or time ran out. The request may have taken
 * effect.
 */
export class TransportError extends Error {}

/** A GraphQL request. */
export interface GraphQLRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A GraphQL API that may be unavailable at times: a daemon, or the gateways of a cluster. */
export interface Api {
  /** Whether it is ready and alive, as far as is known. */
  running(): boolean
  /** Sends a request to its current address. @throws TransportError, also while it is stopped */
  graphql<Data>(request: GraphQLRequest): Promise<GraphQLAnswer<Data>>
}

/**
 * Sends one request to `<url>/graphql`. Errors that GraphQL reports are returned, whatever the HTTP status.
 * @throws TransportError
 */
export async function askGraphQL<Data>(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  { query, variables = {} }: GraphQLRequest,
): Promise<GraphQLAnswer<Data>> {
  let text: string
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(HANGS_MS),
    })
    text = await response.text()
  } catch (error) {
    throw new TransportError(`no answer from ${url}`, { cause: error })
  }
  try {
    const { data = null, errors = [] } = JSON.parse(text) as Partial<GraphQLAnswer<Data>>
    return { data, errors }
  } catch (error) {
    throw new TransportError(`the answer from ${url} is not JSON: ${text.slice(0, 200)}`, { cause: error })
  }
}

/** The data of an answer without errors. @throws Error that names the errors */
export function dataOf<Data>({ data, errors }: GraphQLAnswer<Data>): Data {
  if (errors.length > 0 || data === null)
    throw new Error(`GraphQL answered ${JSON.stringify(errors.length > 0 ? errors : null)}`)
  return data
}
