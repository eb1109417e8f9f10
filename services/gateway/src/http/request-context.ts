import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from '@daybook/postgres/access/api-keys'
import { checkTraceparent } from '@daybook/runtime/trace-context'

/** What the server found out about a request before handing it to GraphQL. */
export interface RequestContext {
  /** Null: no key that opens a project. */
  readonly access: Access | null
  /** The socket that it came on: what is counted for each connection goes by it. */
  readonly connection: object
  /** The client's `X-Correlation-Id`, or one that was made for the request. It is in its log lines and its events. */
  readonly correlationId: string
  /** The client's trace (W3C), where it has one. */
  readonly traceparent: string | null
}

/** A request whose key opens a project. */
export type KnownRequest = RequestContext & { readonly access: Access }

/** What a longer correlation id would cost is paid in every log line and event. */
const CORRELATION_ID_CHARACTERS = 128

export function readRequestContext(
  headers: IncomingHttpHeaders,
): Omit<RequestContext, 'access' | 'connection'> {
  const given = headers['x-correlation-id']
  const usable = typeof given === 'string' && given !== '' && given.length <= CORRELATION_ID_CHARACTERS
  return {
    correlationId: usable ? given : randomUUID(),
    traceparent: checkTraceparent(headers['traceparent']),
  }
}
