/** What a server allows its clients. */
export interface HttpLimits {
  /** Milliseconds in which a client must read something of a waiting answer; else its connection is cut. */
  readonly writeTimeoutMs: number
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number
}

/** The limits of a server without settings. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = { writeTimeoutMs: 30_000, maxConnections: 1_000 }

/**
 * Longer than load balancers keep connections (AWS 60 s): we must not close one that they are about to use.
 */
export const KEEP_ALIVE_MS = 75_000
/** More than KEEP_ALIVE_MS: Node counts from the end of the last request on a connection. */
export const HEADERS_MS = 80_000
