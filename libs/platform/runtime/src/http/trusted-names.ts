import { isIP } from 'node:net'

/*
 * A page of any website can have its own name resolve to 127.0.0.1 (DNS rebinding). The browser then takes this
 * server for the page's own and lets the page read the answers. Two headers that pages cannot forge tell: `Host`
 * has the page's name, and `Origin` names the page itself in requests across sites and in every WebSocket's.
 *
 * An address as `Host` is no rebinding, because no name was resolved.
 */

/** A host name that requests may be sent to. */
export interface HostName {
  /** In small letters; an IPv6 address in brackets. */
  readonly name: string
  /** Null: the port that the server listens on, or none, as behind a proxy with TLS. */
  readonly port: number | null
}

/** Under which names a server is asked. */
export interface NameSettings {
  /** The address that it listens on. */
  readonly host: string
  readonly allowedHosts: readonly HostName[]
  /** `https://app.example.com` */
  readonly allowedOrigins: readonly string[]
}

/** What a request says about where it was sent and from where. */
export interface RequestAddress {
  /** The `Host` header. */
  readonly host: string | undefined
  /** The host in the request's target. */
  readonly authority: string | null
  /** The port on which it arrived. */
  readonly port: number | undefined
}

/** Judges `Host` and `Origin`. */
export interface TrustedNames {
  /** Whether the API may answer. */
  isHost(sent: RequestAddress): boolean
  /**
   * Whether a probe may answer. Orchestrators and Prometheus ask at the address of a pod, and old health checks
   * (HTTP/1.0) send no name at all; neither can be a page whose name was rebound.
   */
  isProbeHost(sent: RequestAddress): boolean
  /** Whether a page of this origin may ask. Requests without `Origin` do not come from pages of others. */
  isOrigin(origin: string | undefined, sent: RequestAddress): boolean
  /** Whether that origin is another than the server's own, and allowed by the settings. */
  isForeignAllowed(origin: string): boolean
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
const AUTHORITY = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/iu

/** Reads `name` or `name:port`; null for anything else. */
export function parseHostName(text: string): HostName | null {
  const found = AUTHORITY.exec(text)
  if (found === null) return null
  const [, name = '', port] = found
  return { name: name.toLowerCase(), port: port === undefined ? null : Number(port) }
}

/** Whether nobody but this machine can connect to the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/u.test(host)
}

/** Whether a page of this origin was itself loaded from the name that it asks: its requests are the server's own. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  const [scheme, authority = ''] = ORIGIN.exec(origin)?.slice(1) ?? []
  const page = parseHostName(authority)
  const asked = parseHostName(host ?? '')
  if (scheme === undefined || page === null || asked === null) return false
  const standard = scheme === 'https' ? 443 : 80
  return page.name === asked.name && (page.port ?? standard) === (asked.port ?? standard)
}

const ORIGIN = /^(https?):\/\/([^/]*)$/u

const isAddress = (name: string): boolean => isIP(name.replace(/^\[(.*)\]$/u, '$1')) !== 0

/** @param settings of the server that is asked */
export function createTrustedNames({ host, allowedHosts, allowedOrigins }: NameSettings): TrustedNames {
  const onLoopback = isLoopback(host)
  const own = new Set([...LOOPBACK_NAMES, (host.includes(':') ? `[${host}]` : host).toLowerCase()])

  const isKnown = ({ name, port }: HostName, ownPort: number | undefined): boolean => {
    if (own.has(name) && (port ?? 80) === ownPort) return true
    // Where others can connect, their port may be another one: a container's is mapped, a balancer has its own.
    if (!onLoopback && (name === 'localhost' || isAddress(name))) return true
    return allowedHosts.some((one) => {
      if (one.name !== name) return false
      if (one.port !== null) return one.port === port || (port === null && isStandard(one.port))
      return port === null || port === ownPort || isStandard(port)
    })
  }
  const isAllowed = (text: string | undefined, ownPort: number | undefined): boolean => {
    const parsed = parseHostName(text ?? '')
    return parsed !== null && isKnown(parsed, ownPort)
  }
  const isHost = ({ host: header, authority, port }: RequestAddress): boolean =>
    isAllowed(header, port) && (authority === null || isAllowed(authority, port))

  return {
    isHost,
    isProbeHost(sent) {
      const names = [sent.host, sent.authority].filter((one) => one != null && one !== '') as string[]
      return names.every((one) => isAddress(parseHostName(one)?.name ?? '') || isAllowed(one, sent.port))
    },
    isOrigin(origin, { host: header, port }) {
      if (origin === undefined || allowedOrigins.includes(origin)) return true
      if (isSameOrigin(origin, header)) return true
      const [scheme, authority = ''] = ORIGIN.exec(origin)?.slice(1) ?? []
      const page = parseHostName(authority)
      if (scheme !== 'http' || page === null || parseHostName(header ?? '') === null) return false
      // GraphiQL at http://localhost:4000 may ask http://127.0.0.1:4000: both are this server.
      return LOOPBACK_NAMES.includes(page.name) && (page.port ?? 80) === port && onLoopback
    },
    isForeignAllowed: (origin) => allowedOrigins.includes(origin),
  }
}

const isStandard = (port: number): boolean => port === 80 || port === 443

/** Why a request to another name was refused, and what to do. */
export function describeForeignHost({ host, authority }: RequestAddress): string {
  const named = authority ?? host
  return named === undefined || named === ''
    ? 'The request names no host, so it is not answered: send a Host header with the address of Daybook'
    : `Daybook is not asked as "${shortened(named)}" here, so the request is not answered (it may come from a website that pretends to be Daybook). If that name is right, add it to DAYBOOK_ALLOWED_HOSTS`
}

/** Why a page of another origin was refused, and what to do. */
export function describeForeignOrigin(origin: string): string {
  return `Pages of the origin "${shortened(origin)}" may not ask Daybook. If you want that, add it to DAYBOOK_ALLOWED_ORIGINS`
}

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
