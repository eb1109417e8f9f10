import { ImportConflictError, InvalidExportError } from '@daybook/journal/import/import-errors'
import { DaybookError, type ErrorCode } from '@daybook/memory/errors'
import {
  exceededLimit,
  isDatabaseUnavailable,
  isStatementTimeout,
  whyUnavailable,
} from '@daybook/postgres/errors'
import { RateLimitedError } from './key-budget.ts'
import { RETRYABLE } from './retryable.ts'

/** An error as a client sees it outside GraphQL. */
export interface Failure {
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
