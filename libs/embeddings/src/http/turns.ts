import { setImmediate } from 'node:timers/promises'
import { pause } from '@daybook/runtime/backoff'

/** Says when requests may be sent to a provider: questions first, and none while it asks to wait. */
export interface Turns {
  /** Milliseconds until the provider takes requests again; 0 if it does. */
  waitMs(): number
  /** Sends nothing for so long. */
  holdFor(milliseconds: number): void
  /** Runs a question's request at once. */
  question<T>(run: () => Promise<T>): Promise<T>
  /** Waits until no question is under way and the provider takes requests. */
  bulk(signal: AbortSignal): Promise<void>
}

/** How long texts wait for questions at most, in milliseconds: a steady stream of them must not stop the index. */
const YIELD_MS = 2_000
/** How often a waiting request looks again. */
const LOOK_MS = 5

/** Nothing is under way, and nothing is held. */
export function createTurns(): Turns {
  let heldUntil = 0
  let questions = 0
  const waitMs = () => Math.max(0, heldUntil - performance.now())
  const isAsked = () => questions > 0
  return {
    waitMs,
    holdFor(milliseconds) {
      heldUntil = Math.max(heldUntil, performance.now() + milliseconds)
    },
    async question(run) {
      questions += 1
      try {
        return await run()
      } finally {
        questions -= 1
      }
    },
    async bulk(signal) {
      // Lets a question through that is asked in the same moment.
      await setImmediate()
      const yieldsUntil = performance.now() + YIELD_MS
      while (!signal.aborted && isAsked() && performance.now() < yieldsUntil) await pause(LOOK_MS, signal)
      while (!signal.aborted && waitMs() > 0) await pause(waitMs(), signal)
    },
  }
}
