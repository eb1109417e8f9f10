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
import type { TypesenseClient } from '../client/client.ts'
import { typesenseVerifiable } from '../verify/verifiable.ts'
import { TYPESENSE } from './generation.ts'
import { startReconciler } from './reconciler.ts'
import { typesenseProjection } from './typesense-projection.ts'
import { createGenerationWriter } from './writer.ts'

export interface ApplyToGenerationOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  readonly client: TypesenseClient
  /** Where they have no embedder for a generation's model, vectors that others make are taken over. */
  readonly workers: QueueWorkers
  /** Beginning of the collections' names and the alias. Default `daybook_memories`. */
  readonly base?: string | undefined
  /** Milliseconds; see `GenerationWriterOptions.leaseMs`. */
  readonly leaseMs?: number | undefined
  readonly metrics?: Pick<Metrics, 'applied'> | undefined
  /** Milliseconds between looks at the journal, and at what waits for vectors. Default 1,000. */
  readonly pollMs?: number | undefined
  /** Milliseconds between looks at whether a project is as the journal says. Default 0: none are made. */
  readonly selfCheckMs?: number | undefined
  readonly activity?: Activity | undefined
}

/**
 * Keeps one generation up with the journal, and gives it its vectors as they become ready. Typesense may be unavailable when it
 * starts, and later: it is tried again, and everything else goes on.
 */
export function applyToGeneration(
  options: ApplyToGenerationOptions,
  generation: Generation,
): GenerationApplier {
  const {
    db,
    bus,
    signal,
    logger,
    activity,
    client,
    workers,
    base,
    leaseMs,
    metrics = noMetrics,
    pollMs = 1_000,
    selfCheckMs = 0,
  } = options
  const writer = createGenerationWriter({
    client,
    generation,
    logger,
    ...(base !== undefined && { base }),
    ...(leaseMs !== undefined && { leaseMs }),
  })
  const reconciler = startReconciler(db, writer, { pollMs })
  // Not waited for: while Typesense is unavailable, texts are embedded all the same, for the other projections too.
  const vectors = workers.want(generation.modelId, async (hashes) => reconciler.stored(hashes))
  const projector = startProjector({
    db,
    projection: typesenseProjection(db, writer),
    bus,
    signal,
    logger,
    pollMs,
    activity,
    onApplied: (events) => {
      metrics.applied(TYPESENSE, events)
      vectors.wake()
    },
  })
  const selfCheck = startSelfCheck({
    db,
    verifiable: typesenseVerifiable(writer),
    logger,
    everyMs: selfCheckMs,
    activity,
  })
  return {
    async stop() {
      await selfCheck.stop()
      await projector.stop()
      await vectors.leave()
      await reconciler.stop()
    },
  }
}
