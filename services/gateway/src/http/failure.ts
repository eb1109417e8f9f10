import { ImportConflictError, InvalidExportError } from '@daybook/journal/import/import-errors'
import { DaybookError, type ErrorCode, DivergedError, LimitExceededError, ValidationError } from '@daybook/memory/errors'
import { exceededLimit, isDatabaseUnavailable, isStatementTimeout, whyUnavailable, isRelationMissing } from '@daybook/postgres/errors'
import { RateLimitedError } from './key-budget.ts'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { isAsyncIterable, type Plugin, createGraphQLError } from 'graphql-yoga'
import type { GatewayParts } from '../context.ts'
import type { ServerResponse } from 'node:http'
import { sendJson } from '@daybook/runtime/probes'

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
export function endWithError(mask: (error: unknown) => Error): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (isAsyncIterable(result))
        setResult(withLastError(result as AsyncIterable<ExecutionResult>, mask) as never)
    },
  }
}

/** Not a generator, because `return()` must reach the source even while a result is pending. */
function withLastError(
  source: AsyncIterable<ExecutionResult>,
  mask: (error: unknown) => Error,
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
        return { done: false, value: { errors: [mask(error) as never] } }
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
export function createMaskError({ logger }: GatewayParts) {
  return (error: unknown): Error => {
    const source = origin(error)
    const located = isGraphQLError(error) ? { path: error.path, nodes: error.nodes } : {}
    const toLocated = (masked: GraphQLError) =>
      createGraphQLError(masked.message, { ...located, extensions: masked.extensions } as never)
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
            'The search index lacks tables: it is made anew from the journal by itself. Try again in a moment; how far it is: daybook operations',
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

/** Answers with a failure, in the same form. */
export function sendFailure(response: ServerResponse, { status, message, ...extensions }: Failure): void {
  const retryAfter = extensions.retryAfter ?? (status === 503 ? 1 : null)
  const headers: Record<string, string> = {
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="daybook"' }),
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
