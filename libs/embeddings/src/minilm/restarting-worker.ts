import { setTimeout } from 'node:timers/promises'
import { asEmbedderError, EmbedderError } from '../embedder.ts'
import { type ConnectOptions, connectWorker, type WorkerConnection } from './worker-connection.ts'

/**
 * Milliseconds before the first restart; doubled with each crash up to LONGEST_DELAY, reset by a successful
 * request.
 */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000

/** Keeps a worker running: calls after a crash wait for the next worker. */
export interface RestartingWorker {
  /**
   * Runs `use` on a loaded worker. Rejects as `use` does, or with the reason why no worker could be started.
   */
  with<T>(use: (worker: WorkerConnection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * States: loaded or loading (`current` is set) → crashed (`current` is empty, `crashes` counts) → on the next
 * call, after the delay, loading again. It restarts only on demand, so a model that always crashes costs
 * nothing while nobody searches. Requests interrupted by a crash are rejected, not repeated: one of them may
 * be the cause.
 */
export function keepWorkerRunning(options: Omit<ConnectOptions, 'onCrash'>): RestartingWorker {
  let current: Promise<WorkerConnection> | undefined
  let crashes = 0
  let nextStart = 0
  let modelId: string | undefined
  const closing = new AbortController()

  function noteFailure(): void {
    current = undefined
    nextStart = Date.now() + Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** crashes)
    crashes++
  }

  async function start(): Promise<WorkerConnection> {
    const delay = nextStart - Date.now()
    if (delay > 0) await setTimeout(delay, undefined, { signal: closing.signal })
    const connection = await connectWorker({ ...options, onCrash: noteFailure })
    modelId ??= connection.modelId
    if (modelId === connection.modelId) return connection
    // Callers store vectors under the first model's id; another model's vectors must not get there.
    await connection.close()
    const message = `The model changed from ${modelId} to ${connection.modelId} while running: restart to use it`
    throw new EmbedderError('MODEL_UNUSABLE', message)
  }

  function worker(): Promise<WorkerConnection> {
    if (current) return current
    const starting = start()
    current = starting
    starting.catch(() => {
      if (current === starting) noteFailure()
    })
    return starting
  }

  return {
    async with(use) {
      if (closing.signal.aborted) throw new EmbedderError('CLOSED', 'The embedder was closed')
      try {
        const result = await use(await worker())
        crashes = 0
        return result
      } catch (error) {
        if (closing.signal.aborted) throw new EmbedderError('CLOSED', 'The embedder was closed')
        throw asEmbedderError(error, 'WORKER_CRASHED', 'The embedding worker cannot be used')
      }
    },
    async close() {
      closing.abort()
      const connection = await current?.catch(() => undefined)
      await connection?.close()
    },
  }
}
