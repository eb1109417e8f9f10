import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { applyToGenerations, type GenerationApplier } from '../generations/apply-to-generations.ts'
import { ensureLiveGeneration } from '../generations/make-generation.ts'
import type { OpenEngine, WriteOptions } from './engine.ts'

export interface StartEngineOptions extends WriteOptions {
  /** The model that a first generation is made for. */
  readonly model: EmbeddingModel
  /** Milliseconds between looks at which generations there are. Default `GENERATIONS_SEEN_MS`. */
  readonly seenMs?: number | undefined
}

/**
 * Writes an engine's projection, each generation of it:
 *
 *   journal ──▶ projector ──words──▶ generation      texts ──▶ embedding store's queue
 *                                        ▲                            │
 *                                        └──────vectors── worker ◀────┘
 *
 * The engine may be unavailable when it starts, and later: it is tried again, and everything else goes on.
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
