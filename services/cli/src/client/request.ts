import { request as requestHttp } from 'node:http'
import { text as textOfStream } from 'node:stream/consumers'
import { type Failure, fieldOf, isFailure } from '@daybook/api/failure'
import { type GraphQLDocument, type ReadonlyInput, textOf } from '@daybook/api/graphql'
import {
  type AnsweredError,
  isPassing,
  parseAnswer,
  readRefusal,
  systemErrorOf,
  whyNoAnswer,
} from '@daybook/client/http/request'
import { servedAt } from '@daybook/local-daemon/daemon-state'
import { RefusedError, UnauthorisedError, UnreachableError } from '../command-line.ts'
import { type Connection, keyHeaders } from '../settings.ts'

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
  variables: ReadonlyInput<Variables>,
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

/** What to send. Default: a GET without a body. */
interface HttpRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How long the whole exchange may take, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Sends a request and reads the whole answer. It uses node's own HTTP, because loading `fetch` takes a command
 * 30 ms of processor time longer (docs/measurements.md#start-of-the-cli).
 * @throws the system's error, or a TimeoutError as the `cause` of an error
 */
export async function exchange(
  url: string,
  { method = 'GET', headers = {}, body = '', timeoutMs }: HttpRequest,
): Promise<{ status: number; text: string }> {
  // Most daemons are reached without TLS, and loading it takes time too.
  const send = url.startsWith('https:') ? (await import('node:https')).request : requestHttp
  return new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
    const signal = AbortSignal.timeout(timeoutMs)
    send(url, { method, headers: { ...headers, ...length }, signal }, (response) => {
      textOfStream(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, text: answer }),
        reject,
      )
    })
      .on('error', reject)
      .end(body)
  })
}

/** Returns the result if it is a success. @throws RefusedError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (!isFailure(result)) return result as Exclude<Result, Failure>
  throw new RefusedError(result.code, result.message, { field: fieldOf(result) })
}

/** The connection was open and broke before the answer. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The address of the data folder's own daemon, if it differs from the one tried. */
function otherUrl({ url, dataDir }: Pick<Connection, 'url' | 'dataDir'>): string | null {
  const served = servedAt(dataDir)
  return served === url ? null : served
}

/** The error for a daemon that does not answer. The most likely remedy comes first. */
export function unreachable(
  place: Pick<Connection, 'url' | 'dataDir'>,
  error: unknown,
  answer?: string,
): UnreachableError {
  const other = otherUrl(place)
  const elsewhere =
    other === null
      ? 'It runs elsewhere?      --url http://host:port, or set DAYBOOK_URL'
      : `The daemon of ${place.dataDir} runs at another address:  --url ${other}, or set DAYBOOK_URL`
  const start =
    'It is not running?      daybook start --detach   (or npm start in the repository; ready after some seconds)'
  return new UnreachableError(
    answer === undefined
      ? `Daybook does not answer at ${place.url}: ${whyNoAnswer(error)}.`
      : `What answers at ${place.url} is not Daybook: ${answer}.`,
    other === null ? [start, elsewhere] : [elsewhere],
    BROKEN.has(systemErrorOf(error).code ?? ''),
  )
}

/** The error for an id that the project does not have, or did not have at a past moment. */
export const notFound = (id: string, asOf?: string) =>
  new RefusedError(
    'NOT_FOUND',
    `There ${asOf === undefined ? 'is' : `was at ${asOf}`} no memory "${id}" in the project of this API key`,
  )

type DaemonPlace = Pick<Connection, 'url' | 'dataDir'>

const HEALTH_TIMEOUT_MS = 10_000

async function getJson(place: DaemonPlace, path: string): Promise<Record<string, unknown>> {
  try {
    const { status, text } = await exchange(`${place.url}${path}`, { timeoutMs: HEALTH_TIMEOUT_MS })
    const value: unknown = text.startsWith('{') ? JSON.parse(text) : null
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    throw unreachable(place, null, `it answered ${path} with HTTP ${status} and no JSON object`)
  } catch (error) {
    throw error instanceof UnreachableError ? error : unreachable(place, error)
  }
}

/**
 * Checks that a Daybook runs at `place`.
 * @returns its version, null if it does not tell
 * @throws UnreachableError
 */
export async function readHealth(place: DaemonPlace): Promise<{ version: string | null }> {
  const { status, version } = await getJson(place, '/health')
  if (status !== 'ok') throw unreachable(place, null, 'its /health does not say so')
  return { version: typeof version === 'string' ? version : null }
}

/** Whether a daemon can serve requests, as its `/ready` says. */
interface DaemonReadiness {
  readonly ready: boolean
  /** Why it cannot. */
  readonly problems: readonly string[]
  /** What is missing while it serves. */
  readonly degraded: readonly string[]
}

/** Asks whether the daemon can serve requests now, and if not, why. @throws UnreachableError */
export async function readReadiness(place: DaemonPlace): Promise<DaemonReadiness> {
  const { ready, problems, degraded } = await getJson(place, '/ready')
  return { ready: ready === true, problems: textsIn(problems), degraded: textsIn(degraded) }
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
