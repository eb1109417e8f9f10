import { readSelfChecks, type SelfCheckState } from '@daybook/projection/self-check/self-checks'
import { LONGEST_IDLE_REST_MS } from '@daybook/projection/self-check/start-self-check'
import { liveEngines } from '../live-engines.ts'
import { type CheckedParts, type Finding, failed, ok, warning, worst } from './check.ts'

/** How long a repair is reported, in milliseconds. */
const TOLD_MS = 24 * 3_600_000
/** How long nobody may have looked, in milliseconds; at least, and as a multiple of the setting. */
const IDLE_MS = 60_000
const IDLE_TIMES = 12

/** Reports what the projectors' self-check found recently, and whether it runs. */
export async function checkSelfCheck({ db, config }: CheckedParts): Promise<Finding> {
  const findings: Finding[] = []
  for (const {
    engine: { name },
    live,
  } of await liveEngines(db, config)) {
    const state = await readSelfChecks(db, { name, generation: live.generation })
    // Alone on its database, a daemon that nobody asks for anything rests.
    const restMs = config.databaseUrl === undefined ? LONGEST_IDLE_REST_MS : 0
    findings.push(judgeSelfCheck(name, state, config.selfCheckMs, restMs))
  }
  return worst(
    findings,
    config.selfCheckMs === 0
      ? ok('Off (DAYBOOK_SELF_CHECK): only `daybook verify` compares indexes with the journal')
      : ok('What was looked at is as the journal says'),
  )
}

/** Judges what the self-check of a projection noted. */
export function judgeSelfCheck(
  name: string,
  { idleMs, differed, differedMs, example, unhealed, journalProblem }: SelfCheckState,
  everyMs: number,
  restMs = 0,
): Finding {
  if (journalProblem !== null)
    return failed(
      `The journal is damaged, in project ${journalProblem}`,
      'Nothing can mend that from within. See all of it:  daybook verify --journal  – then restore a backup (docs/operations.md)',
    )
  if (unhealed > 0)
    return failed(
      `${unhealed} memories of ${name} differ from the journal and could not be mended, such as ${example}`,
      `Its projector’s log says more. Make it anew:  daybook reindex ${name}`,
    )
  if (differedMs !== null && differedMs < TOLD_MS)
    return warning(
      `${differed} memories of ${name} differed from the journal and were written anew, the last ${age(differedMs)} ago: ${example}`,
      `It has mended itself. Something else writes where only its projector should; prove the rest:  daybook verify ${name}`,
    )
  if (everyMs > 0 && idleMs !== null && idleMs > restMs + Math.max(IDLE_MS, everyMs * IDLE_TIMES))
    return warning(
      `Nobody has compared ${name} with the journal for ${age(idleMs)}`,
      `Its projector does: is one running, with DAYBOOK_SELF_CHECK as here?  npm run start:projector-${name}`,
    )
  return ok(`What was looked at of ${name} is as the journal says`)
}

const age = (ms: number): string =>
  ms < 120_000
    ? `${Math.round(ms / 1_000)} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${Math.round(ms / 3_600_000)} h`
