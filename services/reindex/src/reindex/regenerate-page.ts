import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { requeueTexts } from '@daybook/embeddings/store'
import { contentHash } from '@daybook/memory/content-hash'
import { UnavailableError } from '@daybook/memory/errors'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Work } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { appliedMemories } from '@daybook/projection/apply/applied-memories'
import type { GenerationRef } from '@daybook/projection/generations/generation-ref'
import type { Generation } from '@daybook/projection/generations/generations'
import { readPosition } from '@daybook/projection/positions/positions'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { countOpenTexts } from '../backfill/count-open-texts.ts'

/** Makes the vectors of memories anew, page by page. */
export interface PageRegenerator {
  /** Waits until the texts of these memories have new vectors, or cannot get any. */
  regenerate(
    scope: ProjectScope,
    live: GenerationRef & Generation,
    memoryIds: readonly string[],
  ): Promise<void>
  close(): Promise<void>
}

const POLL_MS = 100

/**
 * Vectors that are older than the operation are made again, so that a resumed operation repeats none. Until the
 * memories are rewritten, the live generation keeps their old vectors and finds them by these.
 */
export function createPageRegenerator(
  { db, embedders, logger }: { db: Database; embedders: Embedders; logger: Logger },
  work: Work,
): PageRegenerator {
  const workers = createQueueWorkers({ db, embedders, logger })
  let vectors: ReturnType<typeof workers.want> | null = null
  return {
    async regenerate(scope, { name, generation, modelId }, memoryIds) {
      if ((await embedders.of(modelId)) === null)
        throw new UnavailableError(
          `The reindex service has no embedder for ${modelId} (DAYBOOK_EMBEDDER): start it with one`,
        )
      const { projectId } = scope
      const ref = { name, generation }
      const position = await readPosition(db, ref, projectId)
      const texts = (await appliedMemories(scope, ref, { memoryIds, position }))
        .filter(({ newest }) => newest.data.state.forgottenAt === null)
        .map(({ newest }) => embeddedTextOf(newest.data.state))
        .map((text) => ({ projectId, hash: contentHash(text), text }))
      await db
        .transaction()
        .execute((trx) => requeueTexts(trx, { projectId, modelId }, texts, work.operation.createdAt))
      vectors ??= workers.want(modelId, async () => {})
      vectors.wake()
      while ((await countOpenTexts(db, modelId, texts)).open > 0) {
        work.signal.throwIfAborted()
        await pause(POLL_MS, work.signal)
      }
    },
    close: async () => vectors?.leave(),
  }
}
