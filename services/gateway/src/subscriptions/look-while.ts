import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'

/** A look at the database that is made again and again, as long as there is something to look for. */
export interface RepeatedLook {
  /** To be called once there is something; it may be under way already. */
  begin(): void
  stop(): void
}

export interface LookOptions {
  /** Milliseconds between the end of a look and the next. */
  readonly everyMs: number
  /** Whether there is still something to look for. */
  readonly needed: () => boolean
  readonly logger: Logger
  /** What is logged where a look fails, which the next one follows all the same. Nothing while the database is unavailable. */
  readonly problem: string
}

/** The first look comes after `everyMs`. It keeps no process alive. */
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
