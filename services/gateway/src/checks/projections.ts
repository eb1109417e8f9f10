import {
  describeGeneration,
  type GenerationProgress,
} from '@daybook/projection/generations/describe-generation'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { pause } from '@daybook/runtime/backoff'
import { TYPESENSE } from '@daybook/typesense/write/generation'
import { PROJECTIONS } from '../projection-names.ts'
import { type Check, type CheckedParts, type Finding, failed, ok } from './check.ts'

/** How long a projection that is behind is watched for a sign of life, and how often it is looked at, in milliseconds. */
const WATCH_MS = 2_500
const LOOK_MS = 250

/** How far each live generation is behind the journals of all projects, and whether somebody writes it. */
export async function checkProjections({ db, config }: CheckedParts): Promise<Check[]> {
  const checks = PROJECTIONS.map(async (name): Promise<Check[]> => {
    // One that is no longer configured is written no more; the settings' check says so.
    if (name === TYPESENSE && config.typesense === undefined) return []
    const live = await liveGeneration(db, name)
    if (live === null) return []
    const before = await describeGeneration(db, live)
    let after = before
    for (let waited = 0; isStill(before, after) && waited < WATCH_MS; waited += LOOK_MS) {
      await pause(LOOK_MS)
      after = await describeGeneration(db, live)
    }
    return [{ name: `projection ${name}`, ...judgeProgress(name, before, after) }]
  })
  return (await Promise.all(checks)).flat()
}

const isStill = (before: GenerationProgress, after: GenerationProgress): boolean =>
  after.lag > 0 && after.applied === before.applied

export function judgeProgress(name: string, before: GenerationProgress, after: GenerationProgress): Finding {
  if (after.lag === 0) return ok(`All ${after.applied} events are applied`)
  return isStill(before, after)
    ? failed(
        `${after.lag} events are not applied yet, and nobody applies them`,
        `Start its projector, or look at its log:  npm run start:projector-${name}  (the daemon has one inside)`,
      )
    : ok(`${after.lag} events are not applied yet; it is moving`)
}
