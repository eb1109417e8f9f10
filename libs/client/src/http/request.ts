import { type Given, type GraphQLDocument, textOf } from '@daybook/api/graphql'
import { DaybookClientError } from '../client-error.ts'
import { type Answer, isPassing, parseAnswer, readRefusal } from './answer.ts'
import type { Connection } from './connection.ts'
import { unreachable } from './unreachable.ts'

/** How one request is sent. */
export interface RequestOptions {
  /** Ends the request. It then rejects with the signal's reason; a change may have been made all the same. */
  readonly signal?: AbortSignal | undefined
  /** Default: the client's. */
  readonly timeoutMs?: number | undefined
}

/**
 * Sends an operation once.
 * @throws DaybookClientError; the signal's reason
 */
export async function request<Result, Variables>(
  connection: Connection,
  document: GraphQLDocument<Result, Variables>,
  variables: Given<Variables>,
  options: RequestOptions = {},
): Promise<Result> {
  const body = JSON.stringify({ query: textOf(document), variables })
  const { status, retryAfter, text } = await post(connection, body, options)
  return readAnswer(connection.url, { status, retryAfter, answer: parseAnswer(text) }) as Result
}

async function post(
  { url, headers, fetch, timeoutMs }: Connection,
  body: string,
  options: RequestOptions,
): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs)
  try {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
      signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
      // The key goes to the given address only.
      redirect: 'manual',
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text: await response.text(),
    }
  } catch (error) {
    if (options.signal?.aborted === true) throw options.signal.reason
    throw unreachable(url, error)
  }
}

interface Answered {
  readonly status: number
  /** The header: seconds, or a date. */
  readonly retryAfter: string | null
  readonly answer: Answer | null
}

/** The data of an answer. @throws DaybookClientError if there is none, or an error */
export function readAnswer(url: string, { status, retryAfter, answer }: Answered): unknown {
  const retryAfterMs = waitOf(retryAfter)
  if (answer?.errors?.[0] !== undefined) {
    const { code, message, ...refusal } = readRefusal(answer.errors, status)
    throw new DaybookClientError(code, message, {
      ...refusal,
      retryAfterMs: refusal.retryAfterMs ?? retryAfterMs,
    })
  }
  if (answer?.data != null) return answer.data
  if (status === 429)
    throw new DaybookClientError('RATE_LIMITED', `${url} takes no more requests now (HTTP 429)`, {
      retryable: true,
      retryAfterMs,
    })
  if (isPassing(status))
    throw new DaybookClientError('UNAVAILABLE', `Daybook cannot serve now (HTTP ${status})`, {
      retryable: true,
      retryAfterMs,
      // A proxy may have passed it on before it gave up.
      mayHaveArrived: true,
    })
  if (status === 401) throw new DaybookClientError('UNAUTHENTICATED', `${url} does not accept the API key`)
  throw new DaybookClientError(
    'NOT_DAYBOOK',
    `What answers at ${url} is not Daybook: it answered with HTTP ${status} and no GraphQL`,
  )
}

function waitOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}
