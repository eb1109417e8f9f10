import { PROJECTIONS } from '@daybook/engines/engines'
import {
  describeGeneration,
  type GenerationProgress,
  liveGeneration,
} from '@daybook/projection/generations/generations'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import { pause } from '@daybook/runtime/backoff'
import { liveEngines } from '../open-search-engines.ts'
import { type Check, type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

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

/** Checks that no live generation has parked events. */
export async function checkParked({ db }: CheckedParts): Promise<Finding> {
  const findings: Finding[] = []
  for (const name of PROJECTIONS) {
    const live = await liveGeneration(db, name)
    if (live !== null) findings.push(judgeParked(name, (await describeGeneration(db, live)).parked))
  }
  return worst(findings, ok('No event is parked'))
}

/** Judges the number of a projection's parked events. */
export const judgeParked = (name: string, parked: number): Finding =>
  parked === 0
    ? ok('No event is parked')
    : warning(
        `${name} could not apply ${parked} events, and shows their memories as they were before`,
        `See why:  daybook parked list --projection ${name}  – then retry or drop them`,
      )

/** Checks that the journals have the position of each live generation. */
export async function checkDivergence({ db }: CheckedParts): Promise<Finding> {
  return judgeDivergence(await describeDiverged(db))
}

/** Judges the diverged positions, given in words. */
export function judgeDivergence(diverged: readonly string[]): Finding {
  return diverged.length === 0
    ? ok('No projection has applied anything that the journals do not have')
    : failed(
        diverged.join('; '),
        'Start its projector, or look at its log, if it stays so; and find out what the database lost: see "When the database loses its last moments" in docs/failures.md',
      )
}
