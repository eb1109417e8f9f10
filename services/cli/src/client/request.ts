import { type Given, type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { RefusedError, UnauthorisedError } from '../cli-error.ts'
import { type Connection, keyHeaders } from '../settings.ts'
import { exchange } from './exchange.ts'
import { unreachable } from './unreachable.ts'

/** The longest a request may take, in milliseconds. The daemon itself waits at most 5 s. */
const TIMEOUT_MS = 60_000

interface GraphQLError {
  readonly message: string
  readonly extensions?: {
    readonly code?: string
    readonly field?: string
    readonly retryable?: boolean
    /** Seconds. */
    readonly retryAfter?: number
  }
}

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly GraphQLError[]
}

/**
 * Asks the daemon's GraphQL API.
 * @param timeoutMs the longest it may take, in milliseconds; default 60,000
 * @throws UnreachableError, UnauthorisedError, RefusedError
 */
export function request<Result, Variables>(
  connection: Connection,
  document: GraphQLDocument<Result, Variables>,
  variables: Given<Variables>,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  return requestBody(connection, JSON.stringify({ query: textOf(document), variables }), timeoutMs)
}

/** Like `request`, with a body that is JSON already. */
export async function requestBody<Result>(
  connection: Connection,
  body: string,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  const { status, text } = await post(connection, body, timeoutMs)
  const answer = parseAnswer(text)
  if (status === 401) throw unauthorised(connection, answer?.errors?.[0]?.message)
  if (answer?.errors?.[0] !== undefined) throw refusal(answer.errors, status)
  if (answer?.data == null) {
    if ([502, 503, 504].includes(status))
      throw new RefusedError('UNAVAILABLE', `Daybook cannot serve now (HTTP ${status})`, { retryable: true })
    throw unreachable(connection, null, `it answered with HTTP ${status} and no GraphQL`)
  }
  return answer.data as Result
}

async function post(
  connection: Connection,
  body: string,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  try {
    return await exchange(`${connection.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...keyHeaders(connection),
      },
      body,
      timeoutMs,
    })
  } catch (error) {
    throw unreachable(connection, error)
  }
}

/** Parses an answer in GraphQL's form; null for anything else. */
export function parseAnswer(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer)
      ? (answer as Answer)
      : null
  } catch {
    return null
  }
}

/** The error for what Daybook refused. */
export function refusal(errors: readonly GraphQLError[], status: number): RefusedError {
  const { extensions = {} } = errors[0] as GraphQLError
  const { code = status === 413 ? 'BODY_TOO_LARGE' : 'REFUSED', field = null } = extensions
  const messages = [...new Set(errors.map(({ message }) => message))]
  const retryable = extensions.retryable ?? (code === 'UNAVAILABLE' || [502, 503, 504].includes(status))
  const retryAfterMs = extensions.retryAfter === undefined ? null : extensions.retryAfter * 1_000
  return new RefusedError(code, messages.slice(0, 5).join('\n'), { field, retryable, retryAfterMs })
}

/** The error for a key that the daemon does not accept. It names where the key came from. @param reason the daemon's */
export function unauthorised({ url, keySource }: Connection, reason = ''): UnauthorisedError {
  // Of a key that it does not know, the daemon says only what the hints say better.
  const why = reason.startsWith('This API key') ? ` ${reason}.` : ''
  return new UnauthorisedError(`Daybook at ${url} does not accept the API key from ${keySource}.${why}`, [
    'The daemon keeps its first key in <its data folder>/api-key: name that folder with --data-dir, or DAYBOOK_DATA_DIR',
    'or give a valid key in DAYBOOK_API_KEY',
  ])
}
