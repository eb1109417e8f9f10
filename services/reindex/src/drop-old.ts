import type { Database } from '@daybook/postgres/connect'
import { listGenerations } from '@daybook/projection/generations/generations'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { type Repeated, repeat } from '@daybook/runtime/repeat'
import type { Projections } from './projections.ts'
import { dropGeneration } from './reindex/drop-generation.ts'

/** The parts and times for deleting old generations. */
export interface DropOldOptions {
  readonly db: Database
  readonly projections: Projections
  readonly logger: Logger
  /** How long an old generation is kept for a rollback, in milliseconds. */
  readonly keepMs: number
  /** Milliseconds between looks. Default 1,000. */
  readonly pollMs?: number
  readonly activity?: Activity | undefined
}

/** Deletes generations that an operator dropped, and old ones when their time is over. */
export function startDroppingOld(options: DropOldOptions): Repeated {
  const { db, projections, logger, keepMs, pollMs = 1_000, activity } = options
  const look = async (): Promise<void> => {
    for (const rebuildable of projections.values())
      for (const { generation, status, retiredAt } of await listGenerations(db, rebuildable.name)) {
        const isOver = status === 'old' && Date.parse(retiredAt ?? '') < Date.now() - keepMs
        if (status !== 'dropping' && !isOver) continue
        // Wakes resting projectors: they must notice soon that the generation goes.
        activity?.touch()
        await dropGeneration(db, rebuildable, generation)
        logger.info({ projection: rebuildable.name, generation }, 'a generation was dropped')
      }
  }
  return repeat(look, {
    everyMs: pollMs,
    activity,
    onError: (error) => logger.warn({ error }, 'old generations cannot be dropped now; trying again'),
  })
}
