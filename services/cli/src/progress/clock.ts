/** The time as a display needs it. */
export interface Clock {
  /** Milliseconds, only forward. */
  now(): number
  /** @returns how to end it */
  every(milliseconds: number, action: () => void): () => void
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds)
    return () => clearInterval(timer)
  },
}
