import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { ValidationError } from '@daybook/memory/errors'
import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { type Generation, liveGeneration } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import type { Logger } from '@daybook/runtime/logger'
import { createWakeUp } from '@daybook/runtime/loop'

/** After this many failures a text is not waited for any longer. */
const ATTEMPTS = 5
const POLL_MS = 250

/**
 * Makes the vectors that a new generation lacks, and waits for all that can be made. Without an embedder in
 * this process they come later, as in the live generation. If the model differs from the live one's, that is
 * refused: after the swap, searches by meaning would find nothing.
 */
export async function waitForVectors(
  { db, embedders, logger }: { db: Database; embedders: Embedders; logger: Logger },
  rebuildable: RebuildableProjection,
  generation: Generation,
  fence: Fence,
  work: Work,
): Promise<void> {
  if ((await embedders.of(generation.modelId)) === null) {
    const live = await liveGeneration(db, rebuildable.name)
    if (live?.modelId === generation.modelId) return rebuildable.fillVectors(generation, fence)
    throw new ValidationError(
      'model',
      `cannot be ${generation.modelId}: the reindex service has no embedder for it (DAYBOOK_EMBEDDER=none)`,
    )
  }
  const queueEmpty = createWakeUp()
  const vectors = createQueueWorkers({ db, embedders, logger }).want(generation.modelId, async (hashes) => {
    if (hashes.length === 0) queueEmpty.raise()
  })
  try {
    for (let total = 0; ; await queueEmpty.wait(POLL_MS)) {
      work.signal.throwIfAborted()
      // Check before filling: vectors stored in between are filled in the next round.
      const more = await isWorkLeft(db, generation.modelId)
      await rebuildable.fillVectors(generation, fence)
      const pending = await rebuildable.pendingVectors(generation)
      total = Math.max(total, pending)
      await work.report({ done: total - pending, total })
      if (pending === 0 || !more) return
    }
  } finally {
    await vectors.leave()
  }
}

async function isWorkLeft(db: Database, modelId: string): Promise<boolean> {
  const row = await db
    .selectFrom('embeddings')
    .select('attempts')
    .where('model_id', '=', modelId)
    .where('embedded_at', 'is', null)
    .where('attempts', '<', ATTEMPTS)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
