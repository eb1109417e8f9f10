import { listGenerations } from '@daybook/projection/generations/generations'
import { type Repeated, repeat } from '@daybook/runtime/repeat'
import { dropGeneration } from './reindex/drop-generation.ts'
import type { LoopOptions } from './watch-projections.ts'

/** The parts and times for deleting old generations. */
export interface DropOldOptions extends LoopOptions {
  /** How long an old generation is kept for a rollback, in milliseconds. */
  readonly keepMs: number
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
