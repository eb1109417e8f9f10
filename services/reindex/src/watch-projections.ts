import { DaybookError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { type Repeated, repeat } from '@daybook/runtime/repeat'
import type { Projections } from './projects.ts'

/** What a loop that looks at the projections needs. */
export interface LoopOptions {
  readonly db: Database
  readonly projections: Projections
  readonly logger: Logger
  /** Milliseconds between looks. Default: the loop's own, 1,000 or 2,000. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** Which projections to look at, how, and how often. */
export interface WatchOptions<Watched> {
  /** By name. */
  readonly projections: ReadonlyMap<string, Watched>
  readonly logger: Logger
  /** Milliseconds between looks. */
  readonly pollMs: number
  readonly activity?: Activity | undefined
  /**
   * The log message for a failed look. Finding another operation at work on the projection (BUSY) is no
   * failure.
   */
  readonly problem: string
}

/** Looks at each projection repeatedly, one after the other, until it is stopped. */
export function watchProjections<Watched>(
  { projections, logger, pollMs, problem, activity }: WatchOptions<Watched>,
  look: (watched: Watched, projection: string) => Promise<void>,
): Repeated {
  return repeat(
    async () => {
      for (const [projection, watched] of projections)
        await look(watched, projection).catch((error: unknown) => {
          if (error instanceof DaybookError && error.code === 'BUSY') return
          const level = isDatabaseUnavailable(error) ? 'warn' : 'error'
          logger[level]({ error, projection }, problem)
        })
    },
    // Each look has logged its own failure.
    { everyMs: pollMs, activity, onError: () => {} },
  )
}
