import { describeGeneration } from '@daybook/projection/generations/describe-generation'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { PROJECTIONS } from '../projection-names.ts'
import { type CheckedParts, type Finding, ok, warning, worst } from './check.ts'

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
