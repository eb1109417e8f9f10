/** The target of a request as it was sent: nothing in the path is decoded or resolved. */
export interface RequestTarget {
  /** Begins with `/`, except for targets that no server can have anything at, such as `*`. */
  readonly path: string
  readonly query: URLSearchParams
  /** The host that a target of the form sent to proxies names; null for the usual form. */
  readonly authority: string | null
  /** Path and query, as a handler may pass it on. */
  readonly relative: string
}

/** The form sent to proxies (RFC 9112, 3.2.2). Its host counts more than the `Host` header. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/iu

/**
 * Reads a request's target from any text. `new URL(target, base)` is no alternative for input from strangers:
 * it throws for `//` and others, takes `//evil/health` for a host, and resolves `..`.
 */
export function readRequestTarget(sent: string | undefined): RequestTarget {
  const text = sent ?? ''
  const [relative = ''] = text.replace(ABSOLUTE, '').split('#', 1)
  const at = relative.indexOf('?')
  const path = at === -1 ? relative : relative.slice(0, at)
  const search = at === -1 ? '' : relative.slice(at)
  const rooted = path === '' ? '/' : path
  const authority = ABSOLUTE.exec(text)?.[1] ?? null
  return { path: rooted, query: new URLSearchParams(search), relative: rooted + search, authority }
}

/**
 * Whether a `Host` header could name a host (RFC 9110, 7.2). An absent one passes: Node refuses it where HTTP
 * requires it.
 */
export const isHost = (host: string | undefined): boolean =>
  host === undefined || host === '' || (!/[/?#@\\\s]/u.test(host) && URL.canParse(`http://${host}/`))
