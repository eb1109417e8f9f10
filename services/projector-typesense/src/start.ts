import type { Bus } from '@daybook/bus/bus'
import type { Embedder } from '@daybook/embeddings/embedder'
import { startQueueWorker } from '@daybook/embeddings/queue-worker'
import type { Database } from '@daybook/postgres/connect'
import type { PositionSignal } from '@daybook/projection/position-signal'
import { startProjector } from '@daybook/projection/projector'
import type { Logger } from '@daybook/runtime/logger'
import { type Metrics, noMetrics } from '@daybook/runtime/metrics'
import { createTypesenseClient, type TypesenseSettings } from '@daybook/typesense/client'
import { ensureLiveGeneration, TYPESENSE } from '@daybook/typesense/generation'
import { createPosting } from '@daybook/typesense/posting'
import { typesenseProjection } from '@daybook/typesense/typesense-projection'
import { startUpkeep } from '@daybook/typesense/upkeep'

export interface TypesenseProjectorOptions {
  readonly db: Database
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** The model that a first generation is made for. */
  readonly model: { readonly modelId: string; readonly dimension: number }
  /** Null where another process, or another part of this one, works off the queue of texts; vectors are taken over then. */
  readonly embedder: Embedder | null
  readonly typesense: TypesenseSettings & {
    /** Beginning of the collections' names and the alias. Default `daybook_memories`. */
    readonly base?: string
    /** Milliseconds; see `PostingOptions.leaseMs`. */
    readonly leaseMs?: number
  }
  readonly metrics?: Pick<Metrics, 'applied' | 'embedded'>
  /** Milliseconds between looks at the journal, and at what waits for vectors. Default 1,000. */
  readonly pollMs?: number
}

export interface TypesenseProjector {
  /** Finishes what is under way. */
  stop(): Promise<void>
}

/**
 * Posts the Typesense projection:
 *
 *   journal ──▶ projector ──documents──▶ Typesense      texts ──▶ embedding store's queue
 *                                           ▲                             │
 *                                           └──vectors── upkeep ◀─────────┘ worker
 *
 * Typesense may be away when it starts, and later: it is tried again, and everything else goes on.
 */
export async function startTypesenseProjector(
  options: TypesenseProjectorOptions,
): Promise<TypesenseProjector> {
  const { db, bus, signal, logger, embedder, typesense, metrics = noMetrics, pollMs = 1_000 } = options
  const { base, leaseMs, ...settings } = typesense
  const generation = await ensureLiveGeneration(db, options.model)
  const client = createTypesenseClient(settings)
  const posting = createPosting({
    client,
    generation,
    logger,
    ...(base !== undefined && { base }),
    ...(leaseMs !== undefined && { leaseMs }),
  })

  const usable = embedder !== null && embedder.modelId === generation.modelId
  if (embedder !== null && !usable)
    logger.warn(
      { live: generation.modelId, configured: embedder.modelId },
      'the live generation holds vectors of another model; it gets no new ones until it is rebuilt',
    )
  const upkeep = startUpkeep(db, posting, { pollMs })
  const worker = usable
    ? startQueueWorker({
        db,
        embedder,
        logger,
        // Not waited for: while Typesense is away, texts are embedded all the same, for the other projections too.
        onStored: async (hashes) => upkeep.stored(hashes),
        onEmbedded: metrics.embedded,
      })
    : null
  const projector = startProjector({
    db,
    projection: typesenseProjection(posting),
    bus,
    signal,
    logger,
    pollMs,
    onApplied: (events) => {
      metrics.applied(TYPESENSE, events)
      worker?.wake()
    },
  })
  return {
    async stop() {
      await projector.stop()
      await worker?.stop()
      await upkeep.stop()
      client.close()
    },
  }
}
