import type { Database } from '@daybook/postgres/connect'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity } from '@daybook/runtime/loop'
import type { ComingText } from './early-embeddings.ts'
import type { Embedder } from './embedder.ts'
import type { Embedders } from './embedders.ts'
import { type QueueWorker, startQueueWorker } from './queue-worker.ts'

/** Receives the hashes of texts that just got their vectors; an empty list when the queue was found empty. */
export type OnStored = (hashes: readonly Buffer[]) => Promise<void>

/** A client that waits for the vectors of a model. */
export interface VectorsWanted {
  /** Says that there may be new work, so that it starts at once and not at the next poll. */
  wake(): void
  /** Begins to embed texts that are about to be queued. Call `wake` once they are. */
  soon(texts: readonly ComingText[]): void
  /** Ends the client. The worker ends with its last client. */
  leave(): Promise<void>
}

/** The queue workers of a process, one for each model that has clients. */
export interface QueueWorkers {
  want(modelId: string, onStored: OnStored): VectorsWanted
}

/** The options of `createQueueWorkers`. */
export interface QueueWorkersOptions {
  readonly db: Database
  readonly embedders: Embedders
  readonly logger: Logger
  /** Called with the number of texts that just got their vectors. */
  readonly onEmbedded?: ((texts: number) => void) | undefined
  /** Milliseconds between polls of the queue while nobody wakes the worker. Default 1,000. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/**
 * Several generations, of one or two projections, wait for the same texts, so they share one worker per
 * model. If this process has no embedder for a model, its texts stay queued for a process that has one.
 */
export function createQueueWorkers(options: QueueWorkersOptions): QueueWorkers {
  const working = new Map<string, ModelWork>()
  return {
    want(modelId, onStored) {
      const known = working.get(modelId)
      const work = known ?? startModelWork(options, modelId)
      working.set(modelId, work)
      const wanting: Wanting = { onStored, failures: 0, againAt: 0 }
      work.wanting.add(wanting)
      return {
        wake: () => work.wake(),
        soon: (texts) => work.soon(texts),
        async leave() {
          work.wanting.delete(wanting)
          if (work.wanting.size > 0) return
          if (working.get(modelId) === work) working.delete(modelId)
          await work.stop()
        },
      }
    },
  }
}

/** A client. Its failures are its own: the others still get their hashes. */
interface Wanting {
  readonly onStored: OnStored
  /** Consecutive failures. */
  failures: number
  /** When to call it again after a failure (in the time of `performance.now`). */
  againAt: number
}

interface ModelWork {
  readonly wanting: Set<Wanting>
  wake(): void
  soon(texts: readonly ComingText[]): void
  stop(): Promise<void>
}

function startModelWork(options: QueueWorkersOptions, modelId: string): ModelWork {
  const { db, embedders, logger, onEmbedded, pollMs, activity } = options
  const wanting = new Set<Wanting>()
  const stop = new AbortController()
  let worker: QueueWorker | null = null

  const open = async (): Promise<Embedder | null> => {
    for (let failures = 0; !stop.signal.aborted; failures += 1)
      try {
        return await embedders.of(modelId)
      } catch (error) {
        logger.warn({ error, modelId }, 'the embedder cannot be loaded; texts wait, trying again')
        await pause(backoffDelay(failures, { firstMs: 1_000, maxMs: 60_000 }), stop.signal)
      }
    return null
  }
  const tell = async (one: Wanting, hashes: readonly Buffer[]): Promise<void> => {
    if (performance.now() < one.againAt) return
    try {
      // A client that has missed some gets an empty list and looks for everything that it lacks.
      await one.onStored(one.failures === 0 ? hashes : [])
      one.failures = 0
    } catch (error) {
      logger.warn(
        { error, modelId },
        'vectors could not be delivered to a projection that waits for them; trying again',
      )
      one.againAt = performance.now() + backoffDelay(one.failures, { firstMs: 100, maxMs: 10_000 })
      one.failures += 1
    }
  }
  const start = async (): Promise<void> => {
    const embedder = await open()
    if (embedder === null || stop.signal.aborted) return
    worker = startQueueWorker({
      db,
      embedder,
      logger,
      onEmbedded,
      pollMs,
      activity,
      onStored: async (hashes) => {
        for (const one of wanting) await tell(one, hashes)
      },
    })
  }
  const started = start()
  return {
    wanting,
    wake: () => worker?.wake(),
    soon: (texts) => worker?.soon(texts),
    async stop() {
      stop.abort()
      await started
      await worker?.stop()
    },
  }
}
