import { type Activity, ALWAYS_ACTIVE } from './activity.ts'

/** Work that is done again and again. */
export interface Repeated {
  /** Ends it, after the round under way. */
  stop(): Promise<void>
}

export interface RepeatOptions {
  /** Milliseconds between two rounds, where the round itself does not say. */
  readonly everyMs: number
  /** Hears of a round that failed. The next comes all the same. */
  readonly onError: (error: unknown) => void
  /** Default: there is always some. */
  readonly activity?: Activity | undefined
  /** Whether the first round comes only after `everyMs`. Default no. */
  readonly later?: boolean
}

/**
 * Runs rounds one after the other until it is stopped.
 * @param round hears by the signal that it is to end; gives the milliseconds until the next, where that is not `everyMs`
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
