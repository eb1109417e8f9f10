import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError } from './daybook.ts'
import { errorText } from './tool-result.ts'

/** What a client is told of a fault of ours. */
const FAULT = new ApiError('INTERNAL', 'Something went wrong inside Daybook; its log says what', {
  retryable: true,
})

/** Codes of the API that say that the request can never succeed as it is. */
const WRONG_REQUEST: ReadonlySet<string> = new Set(['VALIDATION', 'NOT_FOUND', 'BODY_TOO_LARGE'])

/**
 * The error of the API behind whatever was thrown.
 * @param onError told of what is no error of the API: a fault of ours
 */
export function apiErrorOf(error: unknown, onError: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error
  onError(error)
  return FAULT
}

/** Runs what reads a resource or prompt. Unlike tools, these have no results that are errors: errors are the protocol's. */
export async function orProtocolError<Value>(
  read: () => Promise<Value>,
  onError: (error: unknown) => void,
): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const refusal = apiErrorOf(error, onError)
    const { InvalidParams, InternalError } = ProtocolErrorCode
    throw new ProtocolError(
      WRONG_REQUEST.has(refusal.code) ? InvalidParams : InternalError,
      errorText(refusal),
    )
  }
}
