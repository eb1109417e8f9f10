/** What a request asks for, as it was sent: nothing in the path is decoded or resolved. */
export interface RequestTarget {
  /** Begins with `/` unless the target is none that a server could have anything at, such as `*`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query, as a handler may pass it on. */
  readonly relative: string
}

/** A proxy's form (RFC 9112, 3.2.2): what stands before the path is ours or does not concern us. */
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/iu

/**
 * Reads a request's target. Any text is one: `new URL(target, base)` throws for `//` and others, takes `//evil/health` for a host
 * and resolves `..`, so no server may use it on what strangers send.
 */
export function readRequestTarget(sent: string | undefined): RequestTarget {
  const [relative = ''] = (sent ?? '').replace(ABSOLUTE, '').split('#', 1)
  const at = relative.indexOf('?')
  const path = at === -1 ? relative : relative.slice(0, at)
  const search = at === -1 ? '' : relative.slice(at)
  const rooted = path === '' ? '/' : path
  return { path: rooted, query: new URLSearchParams(search), relative: rooted + search }
}

/** Whether a `Host` header could name a host (RFC 9110, 7.2). Absent counts as such: Node refuses it where HTTP does. */
export const isHost = (host: string | undefined): boolean =>
  host === undefined || host === '' || (!/[/?#@\\\s]/u.test(host) && URL.canParse(`http://${host}/`))
