/** Lets readers in the same process hear at once that a position has moved. Across processes they poll. */
export interface PositionSignal {
  moved(): void
  /** Resolves at the next move, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>
}

export function createPositionSignal(): PositionSignal {
  const waiting = new Set<() => void>()
  return {
    moved() {
      for (const wake of waiting) wake()
    },
    next(timeoutMs) {
      return new Promise((resolve) => {
        // Whoever stops waiting is forgotten: in a process without a projector nothing ever moves.
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, timeoutMs)
        waiting.add(wake)
      })
    },
  }
}

/** How often a position that another process moves is looked at. */
const POLL_MS = 50

/**
 * Waits until `read` gives at least `wanted`, at most `timeoutMs`.
 * @returns the last position read, which is below `wanted` where the time ran out.
 */
export async function waitForPosition(
  read: () => Promise<number>,
  wanted: number,
  signal: PositionSignal,
  timeoutMs = 5_000,
): Promise<number> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    // Listening begins before reading: a move in between is not missed.
    const next = signal.next(Math.max(0, Math.min(POLL_MS, deadline - Date.now())))
    const position = await read()
    if (position >= wanted || Date.now() >= deadline) return position
    await next
  }
}
