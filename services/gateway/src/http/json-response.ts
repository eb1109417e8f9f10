import type { ServerResponse } from 'node:http'
import { RETRYABLE } from './retryable.ts'

/** Answers with a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(`${JSON.stringify(body)}\n`)
}

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
