import type { Database } from '@daybook/postgres/connect'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, startLoop } from '@daybook/runtime/loop'
import { APPLIED_TO, type GenerationState, listGenerations, markUnusable } from './generations.ts'

/** Writes one generation until it is stopped. */
export interface GenerationApplier {
  /** Finishes the current work. */
  stop(): Promise<void>
}

/** Which generations to write, and how. */
export interface ApplyToGenerationsOptions {
  readonly db: Database
  /** `pgvector`, `typesense` */
  readonly projection: string
  readonly logger: Logger
  /** The layout version that this process can write. A generation with another version is unusable. */
  readonly layoutVersion: number
  readonly start: (generation: GenerationState) => GenerationApplier
  /** Milliseconds between looks at the list of generations. Default 500. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** Why this code cannot use a generation with that layout version; null if it can. */
export const layoutProblem = (
  { layoutVersion: made }: Pick<GenerationState, 'layoutVersion'>,
  layoutVersion: number,
): string | null =>
  made === layoutVersion ? null : `its layout has version ${made}, and this Daybook's is ${layoutVersion}`

/**
 * Milliseconds within which every process sees a change in the list of generations. Code that deletes a
 * generation's data first marks it as dropping and waits longer than this, so that nobody still writes it.
 */
export const GENERATIONS_SEEN_MS = 500

/**
 * Writes every generation in a written status; during a rebuild there are two or three. Starts an applier
 * when a generation appears, and stops it when the generation is dropped.
 *
 * @returns once the present generations are being written
 */
export async function applyToGenerations(options: ApplyToGenerationsOptions): Promise<GenerationApplier> {
  const { db, projection, logger, layoutVersion, start, pollMs = GENERATIONS_SEEN_MS, activity } = options
  const written = new Map<number, GenerationApplier>()

  /** Whether it can be written. A generation with another layout version is marked as unusable. */
  const isUsable = async (one: GenerationState): Promise<boolean> => {
    if (one.unusable !== null) return false
    const problem = layoutProblem(one, layoutVersion)
    if (problem === null) return true
    if (await markUnusable(db, one, problem))
      logger.error({ projection, generation: one.generation, problem }, 'a generation is unusable')
    return false
  }
  /** A failure in one generation must not prevent the others from being written. */
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
        logger.info({ projection, generation: number }, 'a generation is no longer written')
      }
    for (const generation of wanted)
      if (!written.has(generation.generation))
        await each(generation.generation, () => {
          written.set(generation.generation, start(generation))
          logger.debug({ projection, generation: generation.generation }, 'a generation is written')
        })
  }

  await look()
  const looking = startLoop(look, {
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
