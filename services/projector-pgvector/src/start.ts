import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { type GenerationPoster, postGenerations } from '@daybook/projection/generations/apply-to-generations'
import { ensureLiveGeneration } from '@daybook/pgvector/write/create-generation'
import { LAYOUT_VERSION, PGVECTOR } from '@daybook/pgvector/generation-tables'
import { type PostGenerationOptions, postGeneration } from '@daybook/pgvector/write/apply-to-generation'

export interface PgvectorProjectorOptions extends PostGenerationOptions {
  /** The model that a first generation is made for. */
  readonly model: EmbeddingModel
}

/**
 * Posts the pgvector projection, each generation of it:
 *
 *   journal ──▶ projector ──rows, words──▶ read model ──texts──▶ embedding store's queue
 *                                              ▲                         │
 *                                              └──vectors── worker ◀─────┘
 */
export async function startPgvectorProjector(options: PgvectorProjectorOptions): Promise<GenerationPoster> {
  const { db, logger, model } = options
  await ensureLiveGeneration(db, model)
  return postGenerations({
    db,
    projection: PGVECTOR,
    logger,
    layoutVersion: LAYOUT_VERSION,
    start: (generation) => postGeneration(options, generation),
  })
}
