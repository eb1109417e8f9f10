import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { type GenerationPoster, postGenerations } from '@daybook/projection/generations/apply-to-generations'
import { createTypesenseClient, type TypesenseSettings } from '@daybook/typesense/client/client'
import { ensureLiveGeneration, TYPESENSE } from '@daybook/typesense/write/generation'
import { type PostGenerationOptions, postGeneration } from '@daybook/typesense/write/apply-to-generation'
import { LAYOUT_VERSION } from '@daybook/typesense/write/schema'

export interface TypesenseProjectorOptions extends Omit<PostGenerationOptions, 'client'> {
  /** The model that a first generation is made for. */
  readonly model: EmbeddingModel
  readonly typesense: TypesenseSettings
}

/**
 * Posts the Typesense projection, each generation of it:
 *
 *   journal ──▶ projector ──documents──▶ Typesense      texts ──▶ embedding store's queue
 *                                           ▲                             │
 *                                           └──vectors── upkeep ◀─────────┘ worker
 *
 * Typesense may be away when it starts, and later: it is tried again, and everything else goes on.
 */
export async function startTypesenseProjector(options: TypesenseProjectorOptions): Promise<GenerationPoster> {
  const { db, logger, model, typesense } = options
  await ensureLiveGeneration(db, model)
  const client = createTypesenseClient(typesense)
  const posted = await postGenerations({
    db,
    projection: TYPESENSE,
    logger,
    layoutVersion: LAYOUT_VERSION,
    start: (generation) => postGeneration({ ...options, client }, generation),
  })
  return {
    async stop() {
      await posted.stop()
      client.close()
    },
  }
}
