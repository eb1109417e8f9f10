import { DaybookError } from '@daybook/memory/errors'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'

export interface WatchOptions<Watched> {
  /** By name. */
  readonly projections: ReadonlyMap<string, Watched>
  readonly logger: Logger
  /** Milliseconds between looks. */
  readonly pollMs: number
  /** What a look that fails is logged as. One that finds somebody else at work on the projection (BUSY) is no failure. */
  readonly problem: string
}

/** Looks at each projection again and again, one after the other, until it is stopped. */
export function watchProjections<Watched>(
  { projections, logger, pollMs, problem }: WatchOptions<Watched>,
  look: (watched: Watched, projection: string) => Promise<void>,
): { stop(): Promise<void> } {
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      for (const [projection, watched] of projections)
        await look(watched, projection).catch((error: unknown) => {
          if (error instanceof DaybookError && error.code === 'BUSY') return
          const level = isDatabaseUnavailable(error) ? 'warn' : 'error'
          logger[level]({ error, projection }, problem)
        })
      await pause(pollMs, stop.signal)
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
