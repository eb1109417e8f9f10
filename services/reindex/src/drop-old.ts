import { listGenerations } from '@daybook/projection/generations/generations'
import { type Repeated, repeat } from '@daybook/runtime/repeat'
import { dropGeneration } from './reindex/drop-generation.ts'
import type { LoopOptions } from './watch-projections.ts'

export interface DropOldOptions extends LoopOptions {
  /** Milliseconds for which a generation stays after another took its place, for a rollback. */
  readonly keepMs: number
}

/** Deletes generations that somebody dropped, and old ones when their time is over. */
export function startDroppingOld(options: DropOldOptions): Repeated {
  const { db, projections, logger, keepMs, pollMs = 1_000, activity } = options
  const look = async (): Promise<void> => {
    for (const rebuildable of projections.values())
      for (const { generation, status, retiredAt } of await listGenerations(db, rebuildable.name)) {
        const isOver = status === 'old' && Date.parse(retiredAt ?? '') < Date.now() - keepMs
        if (status !== 'dropping' && !isOver) continue
        // Whoever writes it must see within moments that it goes.
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
