import type { Bus } from '@daybook/bus/bus'
import type { Embedder } from '@daybook/embeddings/embedder'
import { startQueueWorker } from '@daybook/embeddings/queue-worker'
import type { Database } from '@daybook/postgres/connect'
import type { PositionSignal } from '@daybook/projection/position-signal'
import { startProjector } from '@daybook/projection/projector'
import { ensureLiveGeneration } from '@daybook/read-model/create-generation'
import { generationTables, PGVECTOR } from '@daybook/read-model/generation-tables'
import { pgvectorProjection } from '@daybook/read-model/pgvector-projection'
import { fillAllVectors, fillVectors } from '@daybook/read-model/post-vectors'
import type { Logger } from '@daybook/runtime/logger'
import { type Metrics, noMetrics } from '@daybook/runtime/metrics'

export interface PgvectorProjectorOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** The model that a first generation is made for. */
  readonly model: { readonly modelId: string; readonly dimension: number }
  /** Null posts rows and words only; the texts stay queued for a later start with an embedder. */
  readonly embedder: Embedder | null
  readonly metrics?: Pick<Metrics, 'applied' | 'embedded'>
}

export interface PgvectorProjector {
  stop(): Promise<void>
}

/**
 * Posts the pgvector projection:
 *
 *   journal ──▶ projector ──rows, words──▶ read model ──texts──▶ embedding store's queue
 *                                              ▲                         │
 *                                              └──vectors── worker ◀─────┘
 */
export async function startPgvectorProjector(options: PgvectorProjectorOptions): Promise<PgvectorProjector> {
  const { db, bus, signal, logger, embedder, metrics = noMetrics } = options
  const generation = await ensureLiveGeneration(db, options.model)
  const tables = generationTables(generation.generation)

  const usable = embedder !== null && embedder.modelId === generation.modelId
  if (embedder !== null && !usable)
    logger.warn(
      { live: generation.modelId, configured: embedder.modelId },
      'the live generation holds vectors of another model; it gets no new ones until it is rebuilt',
    )
  const worker = usable
    ? startQueueWorker({
        db,
        embedder,
        logger,
        onEmbedded: metrics.embedded,
        onStored: async (hashes) => {
          await (hashes.length > 0
            ? fillVectors(db, tables, generation, hashes)
            : fillAllVectors(db, tables, generation))
        },
      })
    : null
  const projector = startProjector({
    db,
    projection: pgvectorProjection(generation),
    bus,
    signal,
    logger,
    onApplied: (events) => {
      metrics.applied(PGVECTOR, events)
      worker?.wake()
    },
  })
  return {
    async stop() {
      await projector.stop()
      await worker?.stop()
    },
  }
}
