import { type ClockFacts, readClock } from '@daybook/postgres/inspect/clock'
import { type CheckedParts, type Finding, ok, warning, worst } from './check.ts'

/** The largest difference accepted, in milliseconds. Clocks that follow a time server differ by far less. */
const APART_MS = 5_000

/** Checks that the database's clock, which dates events, is right, and was right for the last events. */
export async function checkClock({ db }: CheckedParts): Promise<Finding> {
  return judgeClock(await readClock(db))
}

/** Judges the clock by what was read from the database. */
export function judgeClock({ aheadMs, futureProjects, latest }: ClockFacts): Finding {
  const findings: Finding[] = []
  if (Math.abs(aheadMs) > APART_MS)
    findings.push(
      warning(
        `The database's clock is ${(Math.abs(aheadMs) / 1_000).toFixed(0)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this gateway's`,
        'Let both machines follow a time server: events are recorded by the database’s clock, and ages are counted by the gateway’s',
      ),
    )
  if (latest !== null)
    findings.push(
      warning(
        `The last event of ${futureProjects === 1 ? 'a project' : `${futureProjects} projects`} was recorded at a time that the database's clock has not reached, of "${latest.name}" at ${latest.recordedAt}: the clock was ahead then, or is behind now`,
        'Look whether the database’s clock is right. If it is, there is nothing more to do: the project’s next event is recorded by it, and events stay in the order of their sequence',
      ),
    )
  return worst(
    findings,
    ok('The database’s clock agrees with this gateway’s, and with what the journals say'),
  )
}
