import type { Database } from '@daybook/postgres/connect'
import { embedInChunks } from '../embed-in-chunks.ts'
import type { Embedder } from '../embedder.ts'
import { leaseTexts, storeVectors } from '../store.ts'

/** Embeds all that is queued of the embedder's model, in the caller's place of a queue worker. */
export async function embedQueue(db: Database, embedder: Embedder): Promise<void> {
  for (;;) {
    const texts = await leaseTexts(db, embedder.modelId, { limit: 64 })
    if (texts.length === 0) return
    const chunks = await embedInChunks(
      embedder,
      texts.map(({ text }) => text),
    )
    await storeVectors(
      db,
      embedder.modelId,
      texts.map((text, index) => ({ ...text, chunks: chunks[index] ?? [] })),
    )
  }
}
