import type { Database } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type GenerationState, listGenerations, markUnusable, POSTED } from './generations.ts'

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
  /** The version of the layout that this process can post. Of another one, the generation is unusable. */
  readonly layoutVersion: number
  readonly start: (generation: GenerationState) => GenerationPoster
  /** Milliseconds between looks at which generations there are. Default 500. */
  readonly pollMs?: number
}

/** Why this code can do nothing with a generation of that layout; null where it can. */
export const layoutProblem = (
  { layoutVersion: made }: Pick<GenerationState, 'layoutVersion'>,
  layoutVersion: number,
): string | null =>
  made === layoutVersion ? null : `its layout has version ${made}, and this Daybook's is ${layoutVersion}`

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
  const { db, projection, logger, layoutVersion, start, pollMs = GENERATIONS_SEEN_MS } = options
  const posted = new Map<number, GenerationPoster>()
  const stop = new AbortController()

  /** Whether it can be posted. One that turns out to be of another layout is noted as unusable. */
  const isUsable = async (one: GenerationState): Promise<boolean> => {
    if (one.unusable !== null) return false
    const problem = layoutProblem(one, layoutVersion)
    if (problem === null) return true
    if (await markUnusable(db, one, problem))
      logger.error({ projection, generation: one.generation, problem }, 'a generation is unusable')
    return false
  }
  /** What goes wrong with one generation must not keep another from being posted. */
  const each = async (generation: number, what: () => void | Promise<void>): Promise<void> => {
    try {
      await what()
    } catch (error) {
      logger.error({ projection, generation, error }, 'a generation cannot be posted now; trying again')
    }
  }

  const look = async (): Promise<void> => {
    const wanted: GenerationState[] = []
    for (const one of await listGenerations(db, projection))
      if (POSTED.includes(one.status) && (await isUsable(one))) wanted.push(one)
    for (const [number, poster] of posted)
      if (!wanted.some(({ generation }) => generation === number)) {
        posted.delete(number)
        await each(number, () => poster.stop())
        logger.info({ projection, generation: number }, 'a generation is posted no more')
      }
    for (const generation of wanted)
      if (!posted.has(generation.generation))
        await each(generation.generation, () => {
          posted.set(generation.generation, start(generation))
          logger.debug({ projection, generation: generation.generation }, 'a generation is posted')
        })
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
