import {
  ConflictError,
  DaybookError,
  type ErrorCode,
  LimitExceededError,
  type LimitName,
  NotFoundError,
  UnavailableError,
  ValidationError,
} from '@daybook/memory/errors'
import { LIMITS } from '@daybook/memory/limits'
import { safeLine } from '@daybook/memory/safe-text'
import { oneLine, storableString } from '@daybook/memory/text-rules'
import { z } from 'zod'

/** The most of a message that is kept. */
const MESSAGE_CHARACTERS = 1_000

/** An expected failure on its way from a home to a follower. */
export interface WireError {
  readonly code: string
  readonly message: string
  readonly field?: string | undefined
  readonly currentVersion?: number | null | undefined
  readonly memoryId?: string | null | undefined
  readonly limit?: string | undefined
  readonly most?: number | undefined
}

const short = storableString.max(LIMITS.nameCharacters)

/** The form of a `WireError`. */
export const wireError = z.object({
  code: short,
  /** It may be shown to people. */
  message: z.string().transform((text) => oneLine(safeLine(text), MESSAGE_CHARACTERS)),
  field: short.optional(),
  currentVersion: z.int32().nullable().optional(),
  memoryId: z.uuid().nullable().optional(),
  limit: short.optional(),
  most: z.number().optional(),
}) satisfies z.ZodType<WireError>

/** What of an expected failure travels. */
export function toWire(error: DaybookError): WireError {
  const { code, message } = error
  return {
    code,
    message,
    ...(error instanceof ValidationError && { field: error.field }),
    ...(error instanceof ConflictError && {
      currentVersion: error.currentVersion,
      memoryId: error.memoryId,
    }),
    ...(error instanceof LimitExceededError && { limit: error.limit, most: error.most }),
  }
}

const NOT_FOUND = / was not found in this (project|Daybook)$/u

/** The same failure on the follower, of the same class, so that its API answers as the home's. */
export function fromWire({
  code,
  message,
  field,
  currentVersion,
  memoryId,
  limit,
  most,
}: WireError): DaybookError {
  switch (code) {
    case 'VALIDATION':
      return field !== undefined && message.startsWith(`${field} `)
        ? new ValidationError(field, message.slice(field.length + 1))
        : new ValidationError('input', message)
    case 'VERSION_CONFLICT':
    case 'IDEMPOTENCY_CONFLICT':
    case 'KEY_EXISTS':
    case 'NAME_TAKEN':
    case 'FORGOTTEN':
      return new ConflictError(code, message, currentVersion ?? null, memoryId ?? null)
    case 'NOT_FOUND':
      return NOT_FOUND.test(message)
        ? new NotFoundError(message.replace(NOT_FOUND, ''))
        : new DaybookError(code, message)
    case 'LIMIT_EXCEEDED':
      return limit !== undefined && most !== undefined
        ? new LimitExceededError(limit as LimitName, most)
        : new DaybookError(code, message)
    case 'UNAVAILABLE':
      return new UnavailableError(message)
    default:
      return new DaybookError(code as ErrorCode, message)
  }
}
