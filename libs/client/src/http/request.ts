import { type GraphQLDocument, type ReadonlyInput, textOf } from '@daybook/api/graphql'
import { DaybookClientError } from '../client-error.ts'

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
  variables: ReadonlyInput<Variables>,
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

/* Answers of the GraphQL API, as every client of it reads them. It imports nothing, because the CLI starts with it. */

/** An error in an answer. */
export interface AnsweredError {
  readonly message: string
  readonly extensions?: {
    readonly code?: string
    readonly field?: string
    readonly retryable?: boolean
    /** Seconds. */
    readonly retryAfter?: number
    readonly [other: string]: unknown
  }
}

/** An answer in GraphQL's form. */
export interface Answer {
  readonly data?: unknown
  readonly errors?: readonly AnsweredError[]
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

/** What Daybook refused, and why. */
interface Refusal {
  readonly code: string
  readonly message: string
  readonly field: string | null
  readonly retryable: boolean
  /** Milliseconds. */
  readonly retryAfterMs: number | null
  /** The other extensions of the first error. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The statuses with which a gateway, or a proxy before it, cannot serve now. */
export const isPassing = (status: number): boolean => [502, 503, 504].includes(status)

/** The first error decides, and the messages of at most five are shown. @param errors at least one */
export function readRefusal(errors: readonly AnsweredError[], status: number): Refusal {
  const {
    code = status === 413 ? 'BODY_TOO_LARGE' : 'REFUSED',
    field = null,
    retryable,
    retryAfter,
    ...details
  } = errors[0]?.extensions ?? {}
  return {
    code,
    message: [...new Set(errors.map(({ message }) => message))].slice(0, 5).join('\n'),
    field,
    retryable: retryable ?? (code === 'UNAVAILABLE' || isPassing(status)),
    retryAfterMs: retryAfter === undefined ? null : retryAfter * 1_000,
    details,
  }
}

/** Where a Daybook is, how to open it, and who asks. */
export interface ConnectionOptions {
  /** The daemon's address, such as `http://127.0.0.1:4000`; with or without `/graphql`. */
  readonly url: string
  /**
   * `dbk_…`. It is sent to `url` only, and is in no error. Null in the page of Daybook's own console, which has a session
   * instead: its cookie goes with requests to the page's own origin.
   */
  readonly apiKey: string | null
  /** The name or id of the project. Needed for a key of several projects. */
  readonly project?: string | undefined
  /** The agent for which the program works, noted as the writer of each change. Default: none. */
  readonly agent?: string | undefined
  /** The program, noted as the client of each change. Default `daybook-client`. */
  readonly userAgent?: string | undefined
  /** How long one request may take, in milliseconds. Default 60,000; the daemon itself waits at most 5,000. */
  readonly timeoutMs?: number | undefined
  /** Takes the place of the runtime's own `fetch`, for proxies and tests. */
  readonly fetch?: typeof fetch | undefined
}

/** What every request needs. */
export interface Connection {
  /** Without a slash at the end. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly fetch: typeof fetch
}

/** How long one request may take unless the caller says otherwise, in milliseconds. */
const TIMEOUT_MS = 60_000

/** @throws DaybookClientError VALIDATION for a URL or key that cannot be one */
export function openConnection(options: ConnectionOptions): Connection {
  const { apiKey, project, agent, userAgent = 'daybook-client', timeoutMs = TIMEOUT_MS } = options
  const url = daemonUrl(options.url)
  if (url === null)
    throw invalid('url', `is not the URL of a daemon, such as http://127.0.0.1:4000: ${options.url}`)
  // A header takes only printable ASCII; anything else is not one of Daybook's keys. The key itself is not shown.
  if (apiKey !== null && !/^[!-~]+$/u.test(apiKey)) throw invalid('apiKey', 'is not a key of Daybook: dbk_…')
  if (!(timeoutMs > 0)) throw invalid('timeoutMs', `must be more than 0 ms: ${timeoutMs}`)
  return {
    url,
    timeoutMs,
    // Browsers want it called on the global object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: {
      ...(apiKey === null ? { 'x-daybook-console': '1' } : { authorization: `Bearer ${apiKey}` }),
      // Browsers send a User-Agent of their own.
      'x-daybook-client': encodeURIComponent(userAgent),
      ...(project !== undefined && { 'x-daybook-project': encodeURIComponent(project) }),
      ...(agent !== undefined && { 'x-daybook-agent': encodeURIComponent(agent) }),
    },
  }
}

const invalid = (field: string, problem: string) =>
  new DaybookClientError('VALIDATION', `${field} ${problem}`, { field })

/**
 * The address of a daemon without a slash at its end, from a URL as people write it, with or without `/graphql`.
 * @returns null if it is not one
 */
export function daemonUrl(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/u, '').replace(/\/graphql$/u, '')}`
}

/* Why no answer came, for every client that speaks HTTP. It imports nothing, because the CLI starts with it. */

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name cannot be looked up',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
}

/** What the system says of a failed request. */
interface SystemError {
  readonly name?: string
  readonly code?: string
  readonly message?: string
}

/** The system's error: it may be the `cause`, or the first error of an AggregateError. */
export function systemErrorOf(error: unknown): SystemError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return ((cause instanceof AggregateError ? cause.errors[0] : cause) ?? {}) as SystemError
}

/** Why a request got no answer, in words. */
export function whyNoAnswer(error: unknown): string {
  const { name, code, message } = systemErrorOf(error)
  if (name === 'TimeoutError') return 'it did not answer in time'
  return REASONS[code ?? ''] ?? message ?? String(error)
}

/** With these codes nobody was there to take the request. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** The error for a request that got no answer. @param error what `fetch` threw */
export function unreachable(url: string, error: unknown): DaybookClientError {
  return new DaybookClientError('UNREACHABLE', `Daybook does not answer at ${url}: ${whyNoAnswer(error)}`, {
    retryable: true,
    // A browser does not say why.
    mayHaveArrived: !NEVER_SENT.has(systemErrorOf(error).code ?? ''),
    cause: error,
  })
}
