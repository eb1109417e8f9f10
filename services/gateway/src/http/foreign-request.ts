import type { IncomingMessage } from 'node:http'
import type { RequestTarget } from '@daybook/runtime/http/request-target'
import {
  describeForeignHost,
  describeForeignOrigin,
  type Sent,
  type TrustedNames,
} from '@daybook/runtime/http/trusted-names'

/** Why a request is not answered, whatever key it has. */
export interface Foreign {
  readonly status: 403 | 421
  readonly code: 'HOST_NOT_ALLOWED' | 'ORIGIN_NOT_ALLOWED'
  readonly message: string
}

/** The paths that orchestrators ask for at an address of their choice. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics'])

/** Judges a request, or the upgrade to a WebSocket, by its `Host` and `Origin`. Null if it may be answered. */
export function judgeNames(
  names: TrustedNames,
  { headers, socket }: IncomingMessage,
  { path, authority }: Pick<RequestTarget, 'path' | 'authority'>,
): Foreign | null {
  const sent: Sent = { host: headers.host, authority, port: socket.localPort }
  const isNamed = PROBES.has(path) ? names.isProbeHost(sent) : names.isHost(sent)
  if (!isNamed) return { status: 421, code: 'HOST_NOT_ALLOWED', message: describeForeignHost(sent) }
  const { origin } = headers
  if (origin === undefined || names.isOrigin(origin, sent)) return null
  return { status: 403, code: 'ORIGIN_NOT_ALLOWED', message: describeForeignOrigin(origin) }
}
