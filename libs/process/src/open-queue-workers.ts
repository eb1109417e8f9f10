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
  }: { db: Database; embedders: Embedders; metrics: Metrics; activity?: Activity },
  { logger }: Pick<ProcessParts, 'logger'>,
): QueueWorkers {
  const embedded = metrics.counter({
    name: 'daybook_embedded_texts_total',
    help: 'Texts that got their vectors from this process',
  })
  const onEmbedded = (texts: number) => embedded.add(texts)
  return createQueueWorkers({ db, embedders, logger, onEmbedded, activity })
}
