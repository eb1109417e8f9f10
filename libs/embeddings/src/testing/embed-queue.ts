import type { Database } from '@daybook/postgres/connect'
import type { Embedder } from '../embedder.ts'
import { embedInChunks } from '../embedders.ts'
import { leaseTexts, storeVectors } from '../store.ts'

/** Embeds the queued texts of the embedder's model, as a queue worker does. */
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
