import type { Database } from '@daybook/postgres/connect'
import { GENERATIONS_SEEN_MS } from '@daybook/projection/generations/apply-to-generations'
import { listGenerations, moveGeneration } from '@daybook/projection/generations/generations'
import { type Builder, holdOperation } from '@daybook/projection/rebuild/fence'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'

/**
 * Deletes a generation that is not live: first nobody writes it any more, then its data goes. May be called again.
 * @param builder whose operation it must still be; null for one that no operation builds
 * @throws FencedOffError
 */
export async function dropGeneration(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: number,
  builder: Builder | null = null,
): Promise<void> {
  const which = { projection: rebuildable.name, generation }
  const found = (await listGenerations(db, rebuildable.name)).find((one) => one.generation === generation)
  if (found === undefined || found.status === 'live') return
  if (found.status !== 'dropping') {
    const moved = await db.transaction().execute(async (trx) => {
      if (builder !== null) await holdOperation(trx, builder)
      return moveGeneration(trx, which, [found.status], 'dropping')
    })
    if (!moved) return
  }
  // Until the projectors have seen it. One that has not logs an error and leaves it alone.
  if (found.status !== 'building') await pause(4 * (rebuildable.seenMs ?? GENERATIONS_SEEN_MS))
  await rebuildable.drop(generation)
}

/** Drops what unfinished rebuilds have left behind, and what somebody began to drop. @param but the one that is going on */
export async function dropUnfinished(
  db: Database,
  rebuildable: RebuildableProjection,
  but: number | null,
  builder: Builder,
): Promise<void> {
  for (const { generation, status } of await listGenerations(db, rebuildable.name))
    if (generation !== but && (status === 'building' || status === 'following' || status === 'dropping'))
      await dropGeneration(db, rebuildable, generation, builder)
}
