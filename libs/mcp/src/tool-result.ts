import { setTimeout as pause } from 'node:timers/promises'
import { type Failure, fieldOf, isFailure } from '@daybook/api/failure'
import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { NOTICE, quoting, shortMessage } from './answers/memory.ts'
import { ApiError, type Session } from './session.ts'
import type { Answer } from './tools/tool.ts'

/**
 * The answer of a tool, as MCP wants it. Clients show their model the text, the data, or both, so each says by itself that it quotes
 * memories.
 */
export function toolResult({ data, text, quotes = false, failed = false }: Answer<object>): CallToolResult {
  return {
    content: [{ type: 'text', text: quotes ? quoting(text) : text }],
    structuredContent: { ...(quotes && { notice: NOTICE }), ...data },
    ...(failed && { isError: true }),
  }
}

/** What the model can do about an error, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'The user has to give this client a valid API key.',
  FORBIDDEN: 'The user has to give this client a key that may do this.',
  BEHIND: 'Try again in a moment.',
  NOT_FOUND: 'Search for it: the tool search gives ids.',
  CONFLICT: 'Get the memory, then decide again.',
  BODY_TOO_LARGE: 'Send less at a time.',
  RATE_LIMITED: 'Wait before you ask again, and ask for more at a time.',
}

/** An error of the API, as the result of a tool. */
export const errorResult = (error: ApiError): CallToolResult => ({
  content: [{ type: 'text', text: errorText(error) }],
  isError: true,
})

/** An error of the API, for the model: what is wrong, where, and what to do next. */
function errorText(error: ApiError): string {
  const { code, field, retryable } = error
  const message = shortMessage(error.message)
  const where = field === null || message.includes(field) ? '' : `${field} `
  const advice = ADVICE[code] ?? (retryable ? 'Try again in a moment.' : '')
  const end = /[.!?]$/u.test(message) ? '' : '.'
  return `${code}: ${where}${message}${end}${advice === '' ? '' : ` ${advice}`}`
}

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

/** The result if it is a success. @throws ApiError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (!isFailure(result)) return result as Exclude<Result, Failure>
  const { code, message } = result as Failure
  throw new ApiError(code, message, { field: fieldOf(result as Failure) })
}

/** The fields of an operation that tools report. */
export const OPERATION = graphql(
  'fragment McpOperation on Operation { id type status phase done total result error }',
)

/** Long work of Daybook. */
type Operation = ResultOf<typeof OPERATION>

const READ = queries.operation('...McpOperation', [OPERATION])

/** Clients give a call of a tool 60 s as a rule; what takes longer goes on without it. Milliseconds. */
const [WAIT_MS, LOOK_MS] = [20_000, 200]

/** Waits until an operation has ended, at most 20 s. @returns it as it is then */
export async function waitForOperation(operation: Operation, session: Session): Promise<Operation> {
  const giveUpAt = Date.now() + WAIT_MS
  let now = operation
  while ((now.status === 'QUEUED' || now.status === 'RUNNING') && Date.now() < giveUpAt) {
    await pause(LOOK_MS)
    now = (await session.ask(READ, { id: operation.id })).operation ?? now
  }
  return now
}

/** Where an operation is, in words, and what to do next. */
export function operationLine({ id, status, phase, done, total, error }: Operation): string {
  if (status === 'FAILED')
    return `It failed: ${error ?? 'the log of the reindex service says why'} (operation ${id}).`
  if (status === 'CANCELLED') return `It was cancelled (operation ${id}).`
  if (status === 'SUCCEEDED') return `Done (operation ${id}).`
  const far = total === null ? `${done}` : `${done} of ${total}`
  return `It goes on by itself: ${phase}, ${far} (operation ${id}; daybook operations shows it).`
}
