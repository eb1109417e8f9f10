import type { ServerResponse } from 'node:http'
import { sendJson } from '@daybook/runtime/probes'
import type { Failure } from './failure.ts'
import { RETRYABLE } from './retryable.ts'

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
