/** The target of a request as it was sent: nothing in the path is decoded or resolved. */
export interface RequestTarget {
  /** Begins with `/`, except for targets that no server can have anything at, such as `*`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query, as a handler may pass it on. */
  readonly relative: string
}

/**
 * The form sent to proxies (RFC 9112, 3.2.2). The part before the path is our own address or none of our
 * concern.
 */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/iu

/**
 * Reads a request's target from any text. `new URL(target, base)` is no alternative for input from strangers:
 * it throws for `//` and others, takes `//evil/health` for a host, and resolves `..`.
 */
export function readRequestTarget(sent: string | undefined): RequestTarget {
  const [relative = ''] = (sent ?? '').replace(ABSOLUTE, '').split('#', 1)
  const at = relative.indexOf('?')
  const path = at === -1 ? relative : relative.slice(0, at)
  const search = at === -1 ? '' : relative.slice(at)
  const rooted = path === '' ? '/' : path
  return { path: rooted, query: new URLSearchParams(search), relative: rooted + search }
}

/**
 * Whether a `Host` header could name a host (RFC 9110, 7.2). An absent one passes: Node refuses it where HTTP
 * requires it.
 */
export const isHost = (host: string | undefined): boolean =>
  host === undefined || host === '' || (!/[/?#@\\\s]/u.test(host) && URL.canParse(`http://${host}/`))
