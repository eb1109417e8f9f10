import { type Activity, ALWAYS_ACTIVE } from './activity.ts'

/** Work that is repeated. */
export interface Repeated {
  /** Ends it after the current round. */
  stop(): Promise<void>
}

/** The options of `repeat`. */
export interface RepeatOptions {
  /** Milliseconds between two rounds, unless the round returns another number. */
  readonly everyMs: number
  /** Called when a round fails. The next one comes anyway. */
  readonly onError: (error: unknown) => void
  /** When to rest. Default: never. */
  readonly activity?: Activity | undefined
  /** Whether the first round waits for `everyMs`. Default no. */
  readonly later?: boolean
}

/**
 * Runs rounds one after the other until it is stopped.
 * @param round gets a signal that is aborted at the end; may return the milliseconds until the next round
 */
export function repeat(
  round: (signal: AbortSignal) => Promise<number | void>,
  { everyMs, onError, activity = ALWAYS_ACTIVE, later = false }: RepeatOptions,
): Repeated {
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    if (later) await activity.wait(everyMs, stop.signal)
    while (!stop.signal.aborted) {
      const next = await round(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      await activity.wait(next ?? everyMs, stop.signal)
    }
  }
  const running = run()
  return {
    async stop() {
      stop.abort()
      await running
    },
  }
}
