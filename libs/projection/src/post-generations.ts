import type { Database } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type GenerationState, listGenerations, POSTED } from './generations.ts'

/** Something that posts one generation, until it is stopped. */
export interface GenerationPoster {
  /** Finishes what is under way. */
  stop(): Promise<void>
}

export interface PostGenerationsOptions {
  readonly db: Database
  /** `pgvector`, `typesense` */
  readonly projection: string
  readonly logger: Logger
  readonly start: (generation: GenerationState) => GenerationPoster
  /** Milliseconds between looks at which generations there are. Default 500. */
  readonly pollMs?: number
}

/**
 * How often processes look, at most, in milliseconds. Whoever deletes a generation's data waits for longer than this after
 * saying so, so that nobody still posts it.
 */
export const GENERATIONS_SEEN_MS = 500

/**
 * Posts every generation that is to be posted, of which there are two or three while one is rebuilt: begins with one when it
 * appears, and leaves one that is dropped.
 *
 * @returns once it posts those that are there now
 */
export async function postGenerations(options: PostGenerationsOptions): Promise<GenerationPoster> {
  const { db, projection, logger, start, pollMs = GENERATIONS_SEEN_MS } = options
  const posted = new Map<number, GenerationPoster>()
  const stop = new AbortController()

  const look = async (): Promise<void> => {
    const wanted = (await listGenerations(db, projection)).filter(({ status }) => POSTED.includes(status))
    for (const [number, poster] of posted)
      if (!wanted.some(({ generation }) => generation === number)) {
        posted.delete(number)
        await poster.stop()
        logger.info({ projection, generation: number }, 'a generation is posted no more')
      }
    for (const generation of wanted)
      if (!posted.has(generation.generation)) {
        posted.set(generation.generation, start(generation))
        logger.debug({ projection, generation: generation.generation }, 'a generation is posted')
      }
  }

  const run = async (): Promise<void> => {
    for (;;) {
      await pause(pollMs, stop.signal)
      if (stop.signal.aborted) return
      await look().catch((error: unknown) =>
        logger.warn({ projection, error }, 'the generations cannot be looked up; trying again'),
      )
    }
  }

  await look()
  const running = run()
  return {
    async stop() {
      stop.abort()
      await running
      await Promise.all([...posted.values()].map((poster) => poster.stop()))
    },
  }
}
