import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { LAYOUT_VERSION, PGVECTOR } from '@daybook/pgvector/generation-tables'
import { type ApplyToGenerationOptions, applyToGeneration } from '@daybook/pgvector/write/apply-to-generation'
import { ensureLiveGeneration } from '@daybook/pgvector/write/create-generation'
import {
  applyToGenerations,
  type GenerationApplier,
} from '@daybook/projection/generations/apply-to-generations'

export interface PgvectorProjectorOptions extends ApplyToGenerationOptions {
  /** The model that a first generation is made for. */
  readonly model: EmbeddingModel
}

/**
 * Writes the pgvector projection, each generation of it:
 *
 *   journal ──▶ projector ──rows, words──▶ read model ──texts──▶ embedding store's queue
 *                                              ▲                         │
 *                                              └──vectors── worker ◀─────┘
 */
export async function startPgvectorProjector(options: PgvectorProjectorOptions): Promise<GenerationApplier> {
  const { db, logger, model } = options
  await ensureLiveGeneration(db, model)
  return applyToGenerations({
    db,
    projection: PGVECTOR,
    logger,
    layoutVersion: LAYOUT_VERSION,
    activity: options.activity,
    start: (generation) => applyToGeneration(options, generation),
  })
}
