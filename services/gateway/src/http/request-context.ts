import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Access } from '@daybook/postgres/access/api-keys'
import { checkTraceparent } from '@daybook/runtime/trace-context'
import type { Claims } from './read-claims.ts'

/** What the server knows about a request before GraphQL gets it. */
export interface RequestContext {
  /** Null if the request has no valid key. */
  readonly access: Access | null
  /** The request's socket. Limits per connection are counted by it. */
  readonly connection: object
  /** The client's `X-Correlation-Id`, or a new one. It appears in the request's log lines and events. */
  readonly correlationId: string
  /** The client's W3C trace context, if it sent one. */
  readonly traceparent: string | null
  /** Who says to be asking. */
  readonly claims: Claims
}

/** A request with a valid key. */
export type KnownRequest = RequestContext & { readonly access: Access }

/** The longest correlation id. Every log line and event of the request repeats it. */
const CORRELATION_ID_CHARACTERS = 128

/** Reads the ids of a request from its headers. */
export function readRequestContext(
  headers: IncomingHttpHeaders,
): Pick<RequestContext, 'correlationId' | 'traceparent'> {
  const given = headers['x-correlation-id']
  const usable = typeof given === 'string' && given !== '' && given.length <= CORRELATION_ID_CHARACTERS
  return {
    correlationId: usable ? given : randomUUID(),
    traceparent: checkTraceparent(headers['traceparent']),
  }
}
