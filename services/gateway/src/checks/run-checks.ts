import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/with-timeout'
import { checkApplicationRole } from './application-role.ts'
import { type Check, type CheckedParts, type Finding, failed } from './check.ts'
import { checkClock } from './clock.ts'
import { checkCompatibility } from './compatibility.ts'
import { checkDatabase } from './database.ts'
import { checkDisk } from './disk.ts'
import { checkDivergence } from './divergence.ts'
import { checkDurability } from './durability.ts'
import { checkEmbedder } from './embedder.ts'
import { checkEngines } from './engines.ts'
import { checkGenerations } from './generations.ts'
import { checkMigrations } from './migrations.ts'
import { checkNats } from './nats.ts'
import { checkOperations } from './operations.ts'
import { checkParked } from './parked.ts'
import { checkPgvector } from './pgvector.ts'
import { checkProjections } from './projections.ts'
import { checkRelay } from './relay.ts'
import { checkSelfCheck } from './self-check.ts'
import { checkSettings } from './settings.ts'
import { checkSync } from './sync.ts'
import { checkVectors } from './vectors.ts'

interface NamedCheck {
  readonly name: string
  /**
   * Runs the check. It returns null if there is nothing to check, and several named checks if there are
   * several parts.
   */
  readonly look: (parts: CheckedParts) => Promise<Finding | null | readonly Check[]>
}

/** The checks that need no database. */
const OUTSIDE: readonly NamedCheck[] = [
  { name: 'disk', look: checkDisk },
  { name: 'nats', look: checkNats },
]

/**
 * The other checks, in the order of the report. For a new check, add a file in this folder and a line here.
 */
const INSIDE: readonly NamedCheck[] = [
  { name: 'pgvector', look: checkPgvector },
  { name: 'durability', look: checkDurability },
  { name: 'clock', look: checkClock },
  { name: 'compatibility', look: checkCompatibility },
  { name: 'migrations', look: checkMigrations },
  { name: 'role', look: checkApplicationRole },
  { name: 'relay', look: checkRelay },
  { name: 'engines', look: checkEngines },
  { name: 'embedder', look: checkEmbedder },
  { name: 'projections', look: checkProjections },
  { name: 'divergence', look: checkDivergence },
  { name: 'parked', look: checkParked },
  { name: 'self-check', look: checkSelfCheck },
  { name: 'vectors', look: checkVectors },
  { name: 'sync', look: checkSync },
  { name: 'operations', look: checkOperations },
  { name: 'generations', look: checkGenerations },
  { name: 'settings', look: checkSettings },
]

/** The longest a check may take, in milliseconds; longer than the longest wait within one. */
const LOOK_MS = 20_000

/** Runs all checks. A check that throws counts as failed; this function does not throw. */
export async function runChecks(parts: CheckedParts): Promise<Check[]> {
  const database = await runCheck({ name: 'database', look: checkDatabase }, parts)
  // Without the database the others would all fail for the same reason.
  const reached = database.every(({ status }) => status !== 'FAILED')
  const rest = [...OUTSIDE, ...(reached ? INSIDE : [])]
  const found = await Promise.all(rest.map((one) => runCheck(one, parts)))
  return [...database, ...found.flat()]
}

async function runCheck({ name, look }: NamedCheck, parts: CheckedParts): Promise<readonly Check[]> {
  try {
    const found = await withTimeout(LOOK_MS, look(parts))
    if (found === null) return []
    return 'status' in found ? [{ name, ...found }] : found
  } catch (error) {
    parts.logger.warn({ error, check: name }, 'something could not be looked at')
    return [
      {
        name,
        ...failed(`It could not be looked at: ${reasonOf(error)}`, 'The gateway’s log says more'),
      },
    ]
  }
}
