/** What a server allows its clients. */
export interface HttpLimits {
  /** Milliseconds in which a client must read something of a waiting answer; else its connection is cut. */
  readonly writeTimeoutMs: number
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number
  /** Milliseconds in which the head of a request must arrive. */
  readonly headersTimeoutMs: number
  /** Milliseconds in which a whole request must arrive. */
  readonly requestTimeoutMs: number
  /** Milliseconds that a connection may stay open between two requests. */
  readonly keepAliveMs: number
}

/** The limits of a server without settings. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  writeTimeoutMs: 30_000,
  maxConnections: 1_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  // Longer than load balancers keep connections (AWS 60 s): we must not close one that they are about to use.
  keepAliveMs: 75_000,
}
