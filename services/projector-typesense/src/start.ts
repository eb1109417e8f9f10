import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import {
  applyToGenerations,
  type GenerationApplier,
} from '@daybook/projection/generations/apply-to-generations'
import { createTypesenseClient, type TypesenseSettings } from '@daybook/typesense/client/client'
import {
  type ApplyToGenerationOptions,
  applyToGeneration,
} from '@daybook/typesense/write/apply-to-generation'
import { ensureLiveGeneration, TYPESENSE } from '@daybook/typesense/write/generation'
import { LAYOUT_VERSION } from '@daybook/typesense/write/schema'

export interface TypesenseProjectorOptions extends Omit<ApplyToGenerationOptions, 'client'> {
  /** The model that a first generation is made for. */
  readonly model: EmbeddingModel
  readonly typesense: TypesenseSettings
}

/**
 * Writes the Typesense projection, each generation of it:
 *
 *   journal ──▶ projector ──documents──▶ Typesense      texts ──▶ embedding store's queue
 *                                           ▲                             │
 *                                           └──vectors── reconciler ◀─────────┘ worker
 *
 * Typesense may be unavailable when it starts, and later: it is tried again, and everything else goes on.
 */
export async function startTypesenseProjector(
  options: TypesenseProjectorOptions,
): Promise<GenerationApplier> {
  const { db, logger, model, typesense } = options
  await ensureLiveGeneration(db, model)
  const client = createTypesenseClient(typesense)
  const written = await applyToGenerations({
    db,
    projection: TYPESENSE,
    logger,
    layoutVersion: LAYOUT_VERSION,
    activity: options.activity,
    start: (generation) => applyToGeneration({ ...options, client }, generation),
  })
  return {
    async stop() {
      await written.stop()
      client.close()
    },
  }
}
