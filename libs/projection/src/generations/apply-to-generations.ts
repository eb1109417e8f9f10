import type { Database } from '@daybook/postgres/connect'
import type { Activity } from '@daybook/runtime/activity'
import type { Logger } from '@daybook/runtime/logger'
import { repeat } from '@daybook/runtime/repeat'
import { APPLIED_TO, type GenerationState, listGenerations, markUnusable } from './generations.ts'

/** Something that writes one generation, until it is stopped. */
export interface GenerationApplier {
  /** Finishes what is under way. */
  stop(): Promise<void>
}

export interface ApplyToGenerationsOptions {
  readonly db: Database
  /** `pgvector`, `typesense` */
  readonly projection: string
  readonly logger: Logger
  /** The version of the layout that this process can write. Of another one, the generation is unusable. */
  readonly layoutVersion: number
  readonly start: (generation: GenerationState) => GenerationApplier
  /** Milliseconds between looks at which generations there are. Default 500. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** Why this code can do nothing with a generation of that layout; null where it can. */
export const layoutProblem = (
  { layoutVersion: made }: Pick<GenerationState, 'layoutVersion'>,
  layoutVersion: number,
): string | null =>
  made === layoutVersion ? null : `its layout has version ${made}, and this Daybook's is ${layoutVersion}`

/**
 * How often processes look, at most, in milliseconds. Whoever deletes a generation's data waits for longer than this after
 * saying so, so that nobody still writes it.
 */
export const GENERATIONS_SEEN_MS = 500

/**
 * Writes every generation that is to be written, of which there are two or three while one is rebuilt: begins with one when it
 * appears, and leaves one that is dropped.
 *
 * @returns once it writes those that are there now
 */
export async function applyToGenerations(options: ApplyToGenerationsOptions): Promise<GenerationApplier> {
  const { db, projection, logger, layoutVersion, start, pollMs = GENERATIONS_SEEN_MS, activity } = options
  const written = new Map<number, GenerationApplier>()

  /** Whether it can be written. One that turns out to be of another layout is noted as unusable. */
  const isUsable = async (one: GenerationState): Promise<boolean> => {
    if (one.unusable !== null) return false
    const problem = layoutProblem(one, layoutVersion)
    if (problem === null) return true
    if (await markUnusable(db, one, problem))
      logger.error({ projection, generation: one.generation, problem }, 'a generation is unusable')
    return false
  }
  /** What goes wrong with one generation must not keep another from being written. */
  const each = async (generation: number, what: () => void | Promise<void>): Promise<void> => {
    try {
      await what()
    } catch (error) {
      logger.error({ projection, generation, error }, 'a generation cannot be written now; trying again')
    }
  }

  const look = async (): Promise<void> => {
    const wanted: GenerationState[] = []
    for (const one of await listGenerations(db, projection))
      if (APPLIED_TO.includes(one.status) && (await isUsable(one))) wanted.push(one)
    for (const [number, applier] of written)
      if (!wanted.some(({ generation }) => generation === number)) {
        written.delete(number)
        await each(number, () => applier.stop())
        logger.info({ projection, generation: number }, 'a generation is written no more')
      }
    for (const generation of wanted)
      if (!written.has(generation.generation))
        await each(generation.generation, () => {
          written.set(generation.generation, start(generation))
          logger.debug({ projection, generation: generation.generation }, 'a generation is written')
        })
  }

  await look()
  const looking = repeat(look, {
    everyMs: pollMs,
    later: true,
    activity,
    onError: (error) =>
      logger.warn({ projection, error }, 'the generations cannot be looked up; trying again'),
  })
  return {
    async stop() {
      await looking.stop()
      await Promise.all([...written.values()].map((applier) => applier.stop()))
    },
  }
}
