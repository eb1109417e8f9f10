import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'

/** A look at the database that repeats as long as there is something to look for. */
export interface RepeatedLook {
  /** Call this when there is something to look for. It may be under way already. */
  begin(): void
  stop(): void
}

/** How a look repeats. */
export interface LookOptions {
  /** Milliseconds between the end of a look and the next. */
  readonly everyMs: number
  /** Whether there is still something to look for. */
  readonly needed: () => boolean
  readonly logger: Logger
  /**
   * The log message for a failed look. The next look follows all the same. Nothing is logged while the
   * database is unavailable.
   */
  readonly problem: string
}

/** Repeats a look; the first comes after `everyMs`. Its timer does not keep the process alive. */
export function lookWhile(
  look: () => Promise<void>,
  { everyMs, needed, logger, problem }: LookOptions,
): RepeatedLook {
  let timer: NodeJS.Timeout | null = null
  let stopped = false
  const begin = () => {
    if (timer !== null || stopped || !needed()) return
    timer = setTimeout(async () => {
      try {
        await look()
      } catch (error) {
        if (!isDatabaseUnavailable(error)) logger.error({ error }, problem)
      }
      timer = null
      begin()
    }, everyMs)
    timer.unref()
  }
  return {
    begin,
    stop() {
      stopped = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
