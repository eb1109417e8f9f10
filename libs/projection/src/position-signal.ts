import { setTimeout as sleep } from 'node:timers/promises'

/** Lets readers in the same process hear at once that a position has moved. Across processes they poll. */
export interface PositionSignal {
  moved(): void
  /** Resolves at the next move, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>
}

export function createPositionSignal(): PositionSignal {
  let waiting: (() => void)[] = []
  return {
    moved() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    next(timeoutMs) {
      const timer = new AbortController()
      return Promise.race([
        new Promise<void>((resolve) => waiting.push(resolve)).then(() => timer.abort()),
        sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => {}),
      ])
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
    const next = signal.next(POLL_MS)
    const position = await read()
    if (position >= wanted || Date.now() >= deadline) return position
    await next
  }
}
