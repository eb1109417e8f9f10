import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ImportConflictError, InvalidExportError } from '@daybook/journal/import/parse-line'
import {
  DaybookError,
  DivergedError,
  type ErrorCode,
  LimitExceededError,
  ValidationError,
} from '@daybook/memory/errors'
import {
  exceededLimit,
  isDatabaseUnavailable,
  isRelationMissing,
  isStatementTimeout,
  whyUnavailable,
} from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'
import { sendJson } from '@daybook/runtime/probes'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createGraphQLError, isAsyncIterable, type Plugin } from 'graphql-yoga'
import { RateLimitedError } from './key-budget.ts'
import { discardBody, readSmallJson } from './request-context.ts'

/** An error as a client sees it outside GraphQL. */
interface Failure {
  /** The HTTP status. */
  readonly status: number
  readonly code: ErrorCode | 'INTERNAL'
  readonly message: string
  readonly retryable: boolean
  /** The line of the imported file, from 1. */
  readonly line?: number
  /** Seconds after which the same request is taken. */
  readonly retryAfter?: number
  /** The sequence of the event that conflicts with an import. */
  readonly sequence?: number
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  VALIDATION: 400,
  INVALID_EXPORT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  QUARANTINED: 403,
  NOT_FOUND: 404,
  IMPORT_CONFLICT: 409,
  DIVERGED: 409,
  REFUSED: 409,
  PROJECT_DELETED: 410,
  LIMIT_EXCEEDED: 429,
  RATE_LIMITED: 429,
  TOO_MANY_STREAMS: 429,
  UNAVAILABLE: 503,
  CONFIGURATION: 503,
}

/** Converts an error: expected failures keep their message, everything else becomes INTERNAL. */
export function failureOf(error: unknown): Failure {
  if (isDatabaseUnavailable(error) || isStatementTimeout(error))
    return failure('UNAVAILABLE', whyUnavailable(error))
  const limit = exceededLimit(error)
  if (limit !== null) return failure(limit.code, limit.message)
  if (!(error instanceof DaybookError))
    return failure('INTERNAL', 'Something went wrong inside Daybook; its log says what')
  const { code, message } = error
  return {
    ...failure(code, message),
    ...(error instanceof InvalidExportError && { line: error.line }),
    ...(error instanceof RateLimitedError && { retryAfter: error.retryAfter }),
    ...(error instanceof ImportConflictError && { sequence: error.sequence }),
  }
}

function failure(code: Failure['code'], message: string): Failure {
  const status = code === 'INTERNAL' ? 500 : (STATUS[code] ?? 500)
  return { status, code, message, retryable: RETRYABLE.has(code) }
}

/**
 * Makes a failing SSE subscription send its error as the last result, and then complete. Yoga would cut the
 * connection, which a client cannot tell from a network failure. (WebSocket has its own message for errors.)
 */
export function endWithError(mask: (error: unknown) => GraphQLError): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result)) setResult(withLastError(result as AsyncIterable<ExecutionResult>, mask))
    },
  }
}

/** Not a generator, because `return()` must reach the source even while a result is pending. */
function withLastError(
  source: AsyncIterable<ExecutionResult>,
  mask: (error: unknown) => GraphQLError,
): AsyncIterableIterator<ExecutionResult> {
  const iterator = source[Symbol.asyncIterator]()
  let failed = false
  return {
    async next() {
      if (failed) return { done: true, value: undefined }
      try {
        return await iterator.next()
      } catch (error) {
        failed = true
        return { done: false, value: { errors: [mask(error)] } }
      }
    },
    async return() {
      await iterator.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Why a long request was ended from here, as a signal's reason: its key has ended. */
export const keyEnded = (): DaybookError =>
  new DaybookError('UNAUTHENTICATED', 'The key of this request was revoked or has expired')

/**
 * What to tell the client of a long request.
 * @param signal if it is aborted, that is why; else the error is
 * @param advice how to go on, as a sentence's end
 */
export function whyEnded(signal: AbortSignal, error: unknown, advice: string): unknown {
  if (!signal.aborted) return error
  const reason: unknown = signal.reason
  return reason instanceof DaybookError
    ? new DaybookError(reason.code, `${reason.message}${advice}`)
    : new DaybookError('UNAVAILABLE', `This Daybook is being stopped${advice}`)
}

/**
 * Compares names, because a process that loads `graphql` as CommonJS and as ES module has two classes of it.
 */
function isGraphQLError(error: unknown): error is GraphQLError {
  return error instanceof Error && error.name === 'GraphQLError'
}

/** The error that we threw, inside the layers that GraphQL put around it. */
function origin(error: unknown): unknown {
  return isGraphQLError(error) && error.originalError != null ? origin(error.originalError) : error
}

function expected(error: DaybookError): GraphQLError {
  return createGraphQLError(error.message, {
    extensions: {
      code: error.code,
      retryable: RETRYABLE.has(error.code) || isPassingLimit(error),
      ...(error instanceof ValidationError ? { field: error.field } : {}),
      ...(error instanceof LimitExceededError ? { limit: error.limit, most: error.most } : {}),
      ...(error instanceof DivergedError ? { head: error.head, lastCommon: error.lastCommon } : {}),
      ...(error instanceof RateLimitedError ? tooFast(error) : {}),
    },
  })
}

/** Of these limits, a project is below again in a moment. */
const isPassingLimit = (error: DaybookError): boolean =>
  error instanceof LimitExceededError && ['requestsPerSecond', 'queuedTexts'].includes(error.limit)

/** Yoga takes the status and the headers from `http`, and sends the rest. */
const tooFast = ({ retryAfter }: RateLimitedError) => ({
  retryAfter,
  http: { status: 429, headers: { 'retry-after': String(retryAfter) } },
})

/**
 * Decides what a client sees of an error. Expected failures and GraphQL's own errors about the request pass
 * unchanged. For everything else the client learns only that it happened; the log has the rest.
 */
export function createMaskError({ logger }: { readonly logger: Logger }) {
  return (error: unknown): GraphQLError => {
    const source = origin(error)
    const located = isGraphQLError(error) ? { path: error.path ?? null, nodes: error.nodes ?? null } : {}
    const toLocated = (masked: GraphQLError) =>
      createGraphQLError(masked.message, { ...located, extensions: masked.extensions })
    if (source instanceof DaybookError) return toLocated(expected(source))
    if (isDatabaseUnavailable(source) || isStatementTimeout(source)) {
      logger.warn({ error: source }, 'the database cannot be used')
      return toLocated(expected(new DaybookError('UNAVAILABLE', whyUnavailable(source))))
    }
    // No projector has looked yet: it will mark the generation as unusable and have it rebuilt.
    if (isRelationMissing(source)) {
      logger.warn({ error: source }, 'the tables of a read model are missing')
      return toLocated(
        expected(
          new DaybookError(
            'UNAVAILABLE',
            'The search index lacks tables: it is made again from the journal by itself. Try again in a moment; how far it is: daybook operations',
          ),
        ),
      )
    }
    // The outer error says which variable or field of the request is wrong.
    if (isGraphQLError(source)) return error as GraphQLError
    logger.error({ error: source }, 'a request failed unexpectedly')
    return toLocated(
      createGraphQLError('Something went wrong inside Daybook; its log says what', {
        extensions: { code: 'INTERNAL', retryable: false },
      }),
    )
  }
}

/**
 * Codes of errors after which the same request may be sent again. OUTCOME_UNKNOWN is not among them: without
 * an idempotency key the request might take effect twice.
 */
const RETRYABLE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'BEHIND', 'BUSY', 'RATE_LIMITED'])

/** Answers with an error in GraphQL's form, so that GraphQL clients can show it. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): void {
  sendErrorBody(response, status, { message, extensions: { code, retryable: RETRYABLE.has(code) } }, headers)
}

/**
 * Answers with a failure, in the same form.
 * @param challenge the header `WWW-Authenticate`. Default: that a key is needed, if that is the failure
 */
export function sendFailure(
  response: ServerResponse,
  { status, message, ...extensions }: Failure,
  challenge: string | null = status === 401 ? 'Bearer realm="daybook"' : null,
): void {
  const retryAfter = extensions.retryAfter ?? (status === 503 ? 1 : null)
  const headers: Record<string, string> = {
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(challenge !== null && { 'www-authenticate': challenge }),
  }
  sendErrorBody(response, status, { message, extensions }, headers)
}

function sendErrorBody(
  response: ServerResponse,
  status: number,
  error: { readonly message: string; readonly extensions: object },
  headers?: Record<string, string>,
): void {
  sendJson(response, status, { errors: [error] }, headers)
}

/*
 * A link with a key in it stays where links stay: in the terminal's history, in screenshots, in the browser's
 * list of pages. So a link has a code, which is worth nothing once it was used or some minutes old.
 */

/** How long a code works, in milliseconds. */
export const CODE_MS = 10 * 60_000

/** Codes at a time. Only the daemon itself makes them, one for each start. */
const CODES = 100

/** A code is 22 characters in JSON; more is nothing that the page sends. */
const BODY_BYTES = 200

/** Codes that each stand for a key, once. */
export interface KeyCodes {
  /** A code that hands out the key once, within 10 minutes. */
  offer(key: string): string
  /** The key that the code stands for; null if it was used, is too old or never was. */
  take(code: string): string | null
}

/** @param now milliseconds, for tests */
export function createKeyCodes(now: () => number = () => performance.now()): KeyCodes {
  const offered = new Map<string, { readonly key: string; readonly until: number }>()
  const drop = () => {
    const [oldest] = offered.keys()
    for (const [code, { until }] of offered)
      if (until <= now() || (offered.size > CODES && code === oldest)) offered.delete(code)
  }
  return {
    offer(key) {
      // 128 bits: nobody guesses one in 10 minutes, so tries need no count.
      const code = randomBytes(16).toString('base64url')
      offered.set(code, { key, until: now() + CODE_MS })
      drop()
      return code
    },
    take(code) {
      drop()
      const found = offered.get(code)
      offered.delete(code)
      return found?.key ?? null
    },
  }
}

/** `POST /graphql/key` with `{"code": …}`: answers with `{"key": …}`, once. */
export async function answerKeyCode(
  codes: KeyCodes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    sendError(response, 405, 'METHOD_NOT_ALLOWED', '/graphql/key takes POST only', { allow: 'POST' })
    return discardBody(request)
  }
  const code = await readCode(request)
  const key = code === null ? null : codes.take(code)
  if (key === null) {
    sendError(
      response,
      403,
      'CODE_NOT_VALID',
      `This link was used already or is older than ${CODE_MS / 60_000} minutes: paste the key, or restart Daybook for a new link`,
    )
    return discardBody(request)
  }
  sendJson(response, 200, { key })
}

async function readCode(request: IncomingMessage): Promise<string | null> {
  const { code } = (await readSmallJson(request, BODY_BYTES)) ?? {}
  return typeof code === 'string' ? code : null
}
