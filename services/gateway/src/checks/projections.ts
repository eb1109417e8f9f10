import {
  describeGeneration,
  type GenerationProgress,
} from '@daybook/projection/generations/describe-generation'
import { pause } from '@daybook/runtime/backoff'
import { liveEngines } from '../live-engines.ts'
import { type Check, type CheckedParts, type Finding, failed, ok } from './check.ts'

/** How long to watch a projection that is behind for progress, and how often to look, in milliseconds. */
const WATCH_MS = 2_500
const LOOK_MS = 250

/** Checks how far each live generation is behind all journals, and whether a projector writes it. */
export async function checkProjections({ db, config }: CheckedParts): Promise<Check[]> {
  const checks = (await liveEngines(db, config)).map(async ({ engine: { name }, live }): Promise<Check> => {
    const before = await describeGeneration(db, live)
    let after = before
    for (let waited = 0; isStill(before, after) && waited < WATCH_MS; waited += LOOK_MS) {
      await pause(LOOK_MS)
      after = await describeGeneration(db, live)
    }
    return { name: `projection ${name}`, ...judgeProgress(name, before, after) }
  })
  return Promise.all(checks)
}

const isStill = (before: GenerationProgress, after: GenerationProgress): boolean =>
  after.lag > 0 && after.applied === before.applied

/** Judges the progress of a generation between two looks. */
export function judgeProgress(name: string, before: GenerationProgress, after: GenerationProgress): Finding {
  if (after.lag === 0) return ok(`All ${after.applied} events are applied`)
  return isStill(before, after)
    ? failed(
        `${after.lag} events are not applied yet, and nobody applies them`,
        `Start its projector, or look at its log:  npm run start:projector-${name}  (the daemon has one inside)`,
      )
    : ok(`${after.lag} events are not applied yet; it is moving`)
}
