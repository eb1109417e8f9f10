import { DaybookError } from '@daybook/memory/errors'

/** How long a request waits for others of its key before it is refused, in milliseconds. */
const WAIT_MS = 5_000

/** Waiting requests allowed per running one. More would not get their turn in time. */
const WAITING_PER_RUNNING = 10

/** Limits how many requests of one key run at a time. */
export interface KeyWork {
  /**
   * Waits for a turn, at most 5 s.
   * @returns a function that ends the turn; call it once the work is really over
   * @throws DaybookError BUSY
   */
  begin(keyId: string): Promise<() => void>
}

interface Turns {
  running: number
  readonly waiting: Set<() => void>
}

/** @param perKey how many requests of one key run at a time */
export function createKeyWork(perKey: number, waitMs = WAIT_MS): KeyWork {
  const keys = new Map<string, Turns>()

  const busy = () =>
    new DaybookError(
      'BUSY',
      `${perKey} requests of this key are worked on already, which is the limit (DAYBOOK_REQUESTS_PER_KEY), and there was no turn within ${waitMs / 1_000} s: try again in a moment, and send fewer at a time`,
    )
  const ending = (keyId: string, turns: Turns) => () => {
    const [next] = turns.waiting
    // The request that has waited longest gets the turn.
    if (next !== undefined) return next()
    turns.running -= 1
    if (turns.running === 0) keys.delete(keyId)
  }

  return {
    begin(keyId) {
      const turns = keys.get(keyId) ?? { running: 0, waiting: new Set() }
      keys.set(keyId, turns)
      if (turns.running < perKey) {
        turns.running += 1
        return Promise.resolve(ending(keyId, turns))
      }
      if (turns.waiting.size >= perKey * WAITING_PER_RUNNING) return Promise.reject(busy())
      return new Promise((resolve, reject) => {
        const take = () => {
          clearTimeout(timer)
          turns.waiting.delete(take)
          resolve(ending(keyId, turns))
        }
        const timer = setTimeout(() => {
          turns.waiting.delete(take)
          reject(busy())
        }, waitMs)
        turns.waiting.add(take)
      })
    },
  }
}
