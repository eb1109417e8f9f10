import type { Database, Queryable } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, startLoop } from '@daybook/runtime/loop'
import { sql } from 'kysely'
import { type ComingText, createEarlyEmbeddings } from './early-embeddings.ts'
import { type Embedder, isEmbedderDown } from './embedder.ts'
import { type EmbeddedChunk, embedInChunks } from './embedders.ts'
import { type LeasedText, leaseTexts, releaseText, releaseTexts, storeVectors } from './store.ts'

/** Works on the embedding store's queue. Several workers, also in different processes, share it. */
export interface QueueWorker {
  /** Says that there may be new work, so that it starts at once and not at the next poll. */
  wake(): void
  /** Begins to embed texts that are about to be queued. Call `wake` once they are. */
  soon(texts: readonly ComingText[]): void
  /**
   * Releases unfinished texts, because 64 long ones take a model minutes. Another worker, or the next start,
   * embeds them.
   */
  stop(): Promise<void>
}

/** The options of `startQueueWorker`. */
interface QueueWorkerOptions {
  readonly db: Database
  readonly embedder: Embedder
  readonly logger: Logger
  /**
   * Called with the hashes of texts whose vectors were just stored, of any project; with an empty list when
   * the queue was found empty.
   */
  readonly onStored: (hashes: readonly Buffer[]) => Promise<void>
  /** Called with the number of texts that this worker just embedded, for the metrics. */
  readonly onEmbedded?: ((texts: number) => void) | undefined
  /** Milliseconds between polls of the queue while nobody wakes the worker. Default 1,000. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** The worker is being stopped. */
class Stopped extends Error {}

/** Whether a failure says nothing about single texts, so that none of them counts as tried. */
const concernsAll = (error: unknown): boolean =>
  error instanceof Stopped || isDatabaseUnavailable(error) || isEmbedderDown(error)

/** Texts taken at a time: enough to sort by length, few enough that the first are findable soon. */
const LEASE = 64

/** Starts a worker; it runs until `stop`. */
export function startQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { db, embedder, logger, onStored, onEmbedded, pollMs = 1_000, activity = ALWAYS_ACTIVE } = options
  const stop = new AbortController()
  const early = createEarlyEmbeddings(embedder)

  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new Stopped()))
  })
  stopped.catch(() => {})
  /** Embeds what was not begun early, all at once. */
  const embedRest = async (texts: readonly LeasedText[]): Promise<EmbeddedChunk[][]> => {
    const begun = texts.map((text) => early.take(text))
    const rest = texts.filter((_, index) => begun[index] === undefined)
    const made = await embedInChunks(
      embedder,
      rest.map(({ text }) => text),
    )
    let next = 0
    return Promise.all(begun.map((chunks) => chunks ?? made[next++] ?? []))
  }
  /** When the worker stops, the model's current result is discarded. */
  const embed = (texts: readonly LeasedText[]) => {
    const embedding = embedRest(texts)
    embedding.catch(() => {})
    return Promise.race([embedding, stopped])
  }

  const embedOne = async (queued: LeasedText): Promise<void> => {
    try {
      const [chunks] = await embed([queued])
      await storeVectors(db, embedder.modelId, [{ ...queued, chunks: chunks ?? [] }])
      onEmbedded?.(1)
    } catch (error) {
      if (concernsAll(error)) throw error
      logger.warn(
        { error, projectId: queued.projectId, hash: queued.hash.toString('hex') },
        'a text could not be embedded; it is tried again later',
      )
      await releaseText(db, embedder.modelId, queued, error as Error)
    }
  }

  const embedTogether = async (texts: readonly LeasedText[]): Promise<void> => {
    try {
      const chunks = await embed(texts)
      await storeVectors(
        db,
        embedder.modelId,
        texts.map((text, index) => ({ ...text, chunks: chunks[index] ?? [] })),
      )
      onEmbedded?.(texts.length)
    } catch (error) {
      if (concernsAll(error)) throw error
      // One text that the model refuses must not hold up the others.
      for (const text of texts) await embedOne(text)
    }
  }

  const embedOrGiveBack = async (texts: readonly LeasedText[]): Promise<void> => {
    try {
      await embedTogether(texts)
    } catch (error) {
      if (error instanceof Stopped || isEmbedderDown(error)) await releaseTexts(db, embedder.modelId, texts)
      throw error
    }
  }

  const loop = startLoop(
    async () => {
      const texts = await leaseTexts(db, embedder.modelId, { limit: LEASE })
      if (texts.length > 0) await embedOrGiveBack(texts)
      await onStored(texts.map(({ hash }) => hash))
      return texts.length < LEASE ? undefined : 0
    },
    {
      everyMs: pollMs,
      activity,
      backoff: {},
      onError: (error) => logger.warn({ error }, 'the embedding queue cannot be worked on; trying again'),
    },
  )
  return {
    wake: () => loop.wake(),
    soon: early.begin,
    async stop() {
      stop.abort()
      await loop.stop()
    },
  }
}

/** What waits for vectors, in all models and projects. */
export interface QueueState {
  /** Texts without vectors, counted once per project, including failed ones. */
  readonly queued: number
  /** Texts whose last try failed. They are tried again, less and less often. */
  readonly failed: number
  /** Texts that a worker has leased now. */
  readonly leased: number
  /** Why one of the failed texts failed; null if none did. */
  readonly failure: string | null
}

/** Reads only the queued rows of the store. */
export async function readQueueState(db: Queryable): Promise<QueueState> {
  const { rows } = await sql<QueueState>`
    select count(*) as queued,
      count(*) filter (where last_error is not null) as failed,
      count(*) filter (where last_error is null and leased_until > now()) as leased,
      max(last_error) as failure
    from embeddings where embedded_at is null`.execute(db)
  return rows[0] ?? { queued: 0, failed: 0, leased: 0, failure: null }
}
