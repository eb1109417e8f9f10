import type { Embedders } from '@daybook/embeddings/embedders'
import { createQueueWorkers, type QueueWorkers } from '@daybook/embeddings/queue-workers'
import type { Database } from '@daybook/postgres/connect'
import type { Activity } from '@daybook/runtime/activity'
import type { Metrics } from '@daybook/runtime/metrics'
import type { ProcessParts } from './process-parts.ts'

/** This process's workers for the queue of texts. They end with the last projection that wants vectors. */
export function openQueueWorkers(
  {
    db,
    embedders,
    metrics,
    activity,
  }: { db: Database; embedders: Embedders; metrics: Pick<Metrics, 'embedded'>; activity?: Activity },
  { logger }: Pick<ProcessParts, 'logger'>,
): QueueWorkers {
  return createQueueWorkers({ db, embedders, logger, onEmbedded: metrics.embedded, activity })
}
