import type { ServerResponse } from 'node:http'

/**
 * The policy of every answer that is not a page: it loads nothing, runs nothing and is in no frame, even if a
 * browser takes it for a page.
 */
export const NO_CONTENT_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Headers of every answer of every service. There is no Strict-Transport-Security: browsers ignore it without
 * TLS, and who ends TLS in front of Daybook knows for which names it may be said.
 */
export const SECURITY_HEADERS = {
  'content-security-policy': NO_CONTENT_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Sets them before anybody writes the answer, who may replace one. */
export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
  // Answers hold memories and keys: no cache between us and the client may keep them.
  response.setHeader('cache-control', 'no-store')
}
