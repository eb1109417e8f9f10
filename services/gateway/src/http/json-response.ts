import type { ServerResponse } from 'node:http'
import { sendJson } from '@daybook/runtime/probes'
import { RETRYABLE } from './retryable.ts'

/** Answers with an error in GraphQL's form, so that GraphQL clients can show it. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): void {
  sendJson(
    response,
    status,
    { errors: [{ message, extensions: { code, retryable: RETRYABLE.has(code) } }] },
    headers,
  )
}
