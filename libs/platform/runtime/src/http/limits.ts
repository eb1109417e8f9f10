/** What a server allows its clients, whatever they ask for. */
export interface HttpLimits {
  /** Milliseconds in which a client must take something of an answer that waits for it; else its connection is cut. */
  readonly writeTimeoutMs: number
  /** Connections at a time; more are closed at once. */
  readonly maxConnections: number
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = { writeTimeoutMs: 30_000, maxConnections: 1_000 }

/** Longer than balancers keep theirs (AWS 60 s), so that it is never us who close one that they are about to use. */
export const KEEP_ALIVE_MS = 75_000
/** Above it: Node counts this from the end of the last request on a connection. */
export const HEADERS_MS = 80_000
