import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TrustedNames } from '@daybook/runtime/http/trusted-names'

/** Seconds for which a browser may go on without asking again whether it may ask. */
const PREFLIGHT_S = '600'

/**
 * Lets the pages of `DAYBOOK_ALLOWED_ORIGINS` read answers. Cookies are not among what they may send: a key is
 * in a header, which a page must have been given.
 * @returns whether the request was a browser's question beforehand, and is answered
 */
export function answerCors(
  names: TrustedNames,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = headers
  if (origin === undefined || !names.isForeignAllowed(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'x-correlation-id, retry-after')
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.appendHeader('vary', 'origin')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  response
    .writeHead(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers':
        'accept, authorization, content-type, traceparent, x-correlation-id, x-daybook-agent, x-daybook-client, x-daybook-project',
      'access-control-max-age': PREFLIGHT_S,
    })
    .end()
  return true
}
