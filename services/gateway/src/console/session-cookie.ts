import type { IncomingHttpHeaders } from 'node:http'
import { isSameOrigin, parseHostName } from '@daybook/runtime/http/trusted-names'

/*
 * The console's session is in a cookie that scripts cannot read (HttpOnly), that browsers send to no other host, and
 * with no request that another site began (SameSite=Strict). That is not enough: cookies do not know ports, so a page
 * of another server on the same host is the same site. So a request counts only if it also shows that a page of this
 * very origin made it.
 */

/** The header that the console's own page adds. A page of another origin can add it only after a CORS preflight. */
export const PAGE_HEADER = 'x-daybook-console'

/** Two Daybooks on one host share their cookies, so the name holds the port. */
const nameFor = (host: string | undefined): string =>
  `daybook-session-${parseHostName(host ?? '')?.port ?? 'default'}`

/** Browsers accept such a name only over TLS, for this one host, so that no other host of the domain can set it. */
const SECURE_PREFIX = '__Host-'

/** What a page must show. */
export interface PageRule {
  /** `header`: a request of `fetch`. `origin`: the upgrade to a WebSocket, to which pages cannot add headers. */
  readonly proof: 'header' | 'origin'
}

/**
 * The session's token, if the request is one of the console's own page and shows no key. Otherwise the cookie is
 * ignored, as if it were not there.
 */
export function sessionIn(headers: IncomingHttpHeaders, { proof }: PageRule): string | null {
  if (headers.authorization !== undefined || !isOfOwnPage(headers, proof)) return null
  const name = nameFor(headers.host)
  const cookies = new Map(
    (headers.cookie ?? '').split(';').map((one) => {
      const at = one.indexOf('=')
      return [one.slice(0, at).trim(), one.slice(at + 1).trim()] as const
    }),
  )
  const token = cookies.get(SECURE_PREFIX + name) ?? cookies.get(name)
  return token === undefined || !/^[\w-]{43}$/u.test(token) ? null : token
}

/** Whether a page of this server's own origin sent the request, as far as browsers tell. */
export function isOfOwnPage(headers: IncomingHttpHeaders, proof: PageRule['proof']): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && !isSameOrigin(origin, host)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return proof === 'origin' ? origin !== undefined : headers[PAGE_HEADER] === '1'
}

/**
 * The header that gives a browser its session, or takes it away.
 * @param token null: logged out
 * @param lastsMs how long the browser keeps it, in milliseconds
 */
export function sessionCookie(headers: IncomingHttpHeaders, token: string | null, lastsMs: number): string {
  // Whoever ends TLS is in front of the gateway, but the page's origin comes from the browser itself.
  const secure = headers.origin?.startsWith('https:') === true
  return [
    `${secure ? SECURE_PREFIX : ''}${nameFor(headers.host)}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
    `Max-Age=${token === null ? 0 : Math.floor(lastsMs / 1_000)}`,
  ].join('; ')
}
