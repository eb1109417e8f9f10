import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTarget } from '@daybook/runtime/http/http-server'
import {
  describeForeignHost,
  describeForeignOrigin,
  type RequestAddress,
  type TrustedNames,
} from '@daybook/runtime/http/trusted-names'

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
  response.setHeader('access-control-expose-headers', 'x-correlation-id, retry-after, www-authenticate')
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.appendHeader('vary', 'origin')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  response
    .writeHead(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers':
        'accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, traceparent, x-correlation-id, x-daybook-agent, x-daybook-client, x-daybook-project',
      'access-control-max-age': PREFLIGHT_S,
    })
    .end()
  return true
}

/** Why a request is not answered, whatever key it has. */
interface Foreign {
  readonly status: 403 | 421
  readonly code: 'HOST_NOT_ALLOWED' | 'ORIGIN_NOT_ALLOWED'
  readonly message: string
}

/** The paths that orchestrators ask for at an address of their choice. */
export const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/** Judges a request, or the upgrade to a WebSocket, by its `Host` and `Origin`. Null if it may be answered. */
export function judgeNames(
  names: TrustedNames,
  { headers, socket }: IncomingMessage,
  { path, authority }: Pick<RequestTarget, 'path' | 'authority'>,
): Foreign | null {
  const sent: RequestAddress = { host: headers.host, authority, port: socket.localPort }
  const isNamed = PROBES.has(path) ? names.isProbeHost(sent) : names.isHost(sent)
  if (!isNamed) return { status: 421, code: 'HOST_NOT_ALLOWED', message: describeForeignHost(sent) }
  const { origin } = headers
  if (origin === undefined || names.isOrigin(origin, sent)) return null
  return { status: 403, code: 'ORIGIN_NOT_ALLOWED', message: describeForeignOrigin(origin) }
}
