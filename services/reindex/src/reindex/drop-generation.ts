import type { Database } from '@daybook/postgres/connect'
import { GENERATIONS_SEEN_MS } from '@daybook/projection/generations/apply-to-generations'
import { listGenerations, moveGeneration } from '@daybook/projection/generations/generations'
import { type Builder, holdOperation } from '@daybook/projection/rebuild/fence'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { pause } from '@daybook/runtime/backoff'

/**
 * Deletes a generation that is not live. First it makes sure that nobody writes it any more, then it deletes
 * the data. It may be called again.
 * @param builder the operation that must still own it; null if no operation builds it
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
  // Wait until the projectors have noticed. One that has not noticed logs an error and stops writing.
  if (found.status !== 'building') await pause(4 * (rebuildable.seenMs ?? GENERATIONS_SEEN_MS))
  await rebuildable.drop(generation)
}

/**
 * Drops what unfinished rebuilds and unfinished drops left behind.
 * @param but the rebuild under way, which is kept
 */
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
