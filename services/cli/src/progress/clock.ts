/** The clock of a progress display; tests give their own. */
export interface Clock {
  /** Milliseconds; it never goes back. */
  now(): number
  /** Calls `action` repeatedly. @returns a function that ends this */
  every(milliseconds: number, action: () => void): () => void
}

/** The machine's own clock. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds)
    return () => clearInterval(timer)
  },
}
