import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { applyToGenerations, type GenerationApplier } from '../generations/apply-to-generations.ts'
import { ensureLiveGeneration } from '../generations/make-generation.ts'
import type { OpenEngine, WriteOptions } from './engine.ts'

/** How to start an engine. */
export interface StartEngineOptions extends WriteOptions {
  /** The embedding model of the first generation. */
  readonly model: EmbeddingModel
  /** Milliseconds between looks at the list of generations. Default `GENERATIONS_SEEN_MS`. */
  readonly seenMs?: number | undefined
}

/**
 * Writes every generation of an engine's projection:
 *
 *   journal ──▶ projector ──words──▶ generation      texts ──▶ embedding store's queue
 *                                        ▲                            │
 *                                        └──────vectors── worker ◀────┘
 *
 * The engine may be unavailable, at the start and later. It is retried while everything else goes on.
 */
export async function startEngine(
  engine: OpenEngine,
  options: StartEngineOptions,
): Promise<GenerationApplier> {
  const { db, logger, activity, model, seenMs } = options
  await ensureLiveGeneration(db, engine.layout, model)
  const projection = engine.projection(options)
  return applyToGenerations({
    db,
    projection: engine.name,
    logger,
    layoutVersion: engine.layout.layoutVersion,
    activity,
    pollMs: seenMs,
    start: (generation) => projection.apply(generation),
  })
}
