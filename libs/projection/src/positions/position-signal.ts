/** Tells readers in the same process at once that a position has moved. Other processes poll. */
export interface PositionSignal {
  moved(): void
  /** Resolves at the next move, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>
}

/** Creates a signal that projectors raise and readers wait on. */
export function createPositionSignal(): PositionSignal {
  const waiting = new Set<() => void>()
  return {
    moved() {
      for (const wake of waiting) wake()
    },
    next(timeoutMs) {
      return new Promise((resolve) => {
        // Remove the waiter on timeout too: in a process without a projector, no position ever moves.
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

/** Milliseconds between reads of a position that another process moves. */
const POLL_MS = 50

/**
 * Waits until `read` returns at least `wanted`, for at most `timeoutMs`.
 * @returns the last position read; it is below `wanted` if the time ran out
 */
export async function waitForPosition(
  read: () => Promise<number>,
  wanted: number,
  signal: PositionSignal,
  timeoutMs = 5_000,
): Promise<number> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    // Listen before reading, so that no move in between is missed.
    const next = signal.next(Math.max(0, Math.min(POLL_MS, deadline - Date.now())))
    const position = await read()
    if (position >= wanted || Date.now() >= deadline) return position
    await next
  }
}
