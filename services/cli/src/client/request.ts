import { type Given, type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { type AnsweredError, isPassing, parseAnswer, readRefusal } from '@daybook/client/http/answer'
import { RefusedError, UnauthorisedError } from '../cli-error.ts'
import { type Connection, keyHeaders } from '../settings.ts'
import { exchange } from './exchange.ts'
import { unreachable } from './unreachable.ts'

/** The longest a request may take, in milliseconds. The daemon itself waits at most 5 s. */
const TIMEOUT_MS = 60_000

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
    if (isPassing(status))
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
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...keyHeaders(connection),
  }
  try {
    return await exchange(`${connection.url}/graphql`, {
      method: 'POST',
      headers,
      body,
      timeoutMs,
    })
  } catch (error) {
    throw unreachable(connection, error)
  }
}

/** The error for what Daybook refused. */
export function refusal(errors: readonly AnsweredError[], status: number): RefusedError {
  const { code, message, ...refused } = readRefusal(errors, status)
  return new RefusedError(code, message, refused)
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
