import type { Database } from '@daybook/postgres/connect'
import { listGenerations } from '@daybook/projection/generations/generations'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import type { Projections } from './projections.ts'
import { dropGeneration } from './reindex/drop-generation.ts'

export interface DropOldOptions {
  readonly db: Database
  readonly projections: Projections
  readonly logger: Logger
  /** Milliseconds for which a generation stays after another took its place, for a rollback. */
  readonly keepMs: number
  /** Milliseconds between looks. Default 1,000. */
  readonly pollMs?: number
}

/** Deletes generations that somebody dropped, and old ones when their time is over. */
export function startDroppingOld(options: DropOldOptions): { stop(): Promise<void> } {
  const { db, projections, logger, keepMs, pollMs = 1_000 } = options
  const stop = new AbortController()

  const look = async (): Promise<void> => {
    for (const rebuildable of projections.values())
      for (const { generation, status, retiredAt } of await listGenerations(db, rebuildable.name)) {
        const isOver = status === 'old' && Date.parse(retiredAt ?? '') < Date.now() - keepMs
        if (status !== 'dropping' && !isOver) continue
        await dropGeneration(db, rebuildable, generation)
        logger.info({ projection: rebuildable.name, generation }, 'a generation was dropped')
      }
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await look().catch((error: unknown) =>
        logger.warn({ error }, 'old generations cannot be dropped now; trying again'),
      )
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
