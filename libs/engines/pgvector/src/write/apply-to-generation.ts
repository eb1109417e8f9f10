import type { QueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Database } from '@daybook/postgres/connect'
import { startProjector } from '@daybook/projection/apply/projector'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import type { Generation } from '@daybook/projection/generations/generations'
import type { PositionSignal } from '@daybook/projection/positions/position-signal'
import { startSelfCheck } from '@daybook/projection/self-check/start-self-check'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { type Metrics, noMetrics } from '@daybook/runtime/metrics'
import type { Bus } from '@daybook/transport/bus'
import { generationTables, PGVECTOR } from '../generation-tables.ts'
import { pgvectorVerifiable } from '../verify/verifiable.ts'
import { pgvectorProjection } from './pgvector-projection.ts'
import { fillAllVectors, fillVectors } from './write-vectors.ts'

export interface ApplyToGenerationOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** Where they have no embedder for a generation's model, rows and words are written, and its texts stay queued. */
  readonly workers: QueueWorkers
  readonly metrics?: Pick<Metrics, 'applied'>
  /** Milliseconds between looks at whether a project is as the journal says. Default 0: none are made. */
  readonly selfCheckMs?: number
  readonly activity?: Activity | undefined
}

/** Keeps one generation up with the journal, and gives it its vectors as they become ready. */
export function applyToGeneration(
  options: ApplyToGenerationOptions,
  generation: Generation,
): GenerationApplier {
  const { db, bus, signal, logger, workers, metrics = noMetrics, selfCheckMs = 0, activity } = options
  const tables = generationTables(generation.generation)
  const vectors = workers.want(generation.modelId, async (hashes) => {
    await (hashes.length > 0
      ? fillVectors(db, tables, generation, hashes)
      : fillAllVectors(db, tables, generation))
  })
  const projector = startProjector({
    db,
    projection: pgvectorProjection(generation),
    bus,
    signal,
    logger,
    activity,
    onApplied: (events) => {
      metrics.applied(PGVECTOR, events)
      vectors.wake()
    },
  })
  const selfCheck = startSelfCheck({
    db,
    verifiable: pgvectorVerifiable(db, generation),
    logger,
    everyMs: selfCheckMs,
    activity,
    journal: true,
  })
  return {
    async stop() {
      await selfCheck.stop()
      await projector.stop()
      await vectors.leave()
    },
  }
}
