import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { readServerFacts } from '@daybook/postgres/inspect/server-facts'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/timers'
import { checkNats, checkRelay } from './bus.ts'
import { type Check, type CheckedParts, type Finding, failed } from './check.ts'
import {
  checkApplicationRole,
  checkClock,
  checkCompatibility,
  checkDatabase,
  checkDisk,
  checkDurability,
  checkMigrations,
  checkOperations,
  checkPgvector,
} from './database.ts'
import {
  checkEngines,
  checkGenerations,
  checkSelfCheck,
  checkVectors,
  lookAtEngine,
  OUTER_ENGINES,
} from './engines.ts'
import { checkEmbedder, checkSettings } from './machine.ts'
import { checkDivergence, checkParked, checkProjections } from './projections.ts'
import { checkSync } from './sync.ts'

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

/** A part that Daybook works with, as this process sees it. */
export interface SystemPart {
  /** `database`, `nats`, an engine's name such as `typesense`, `embedder` */
  readonly name: string
  readonly configured: boolean
  /** Why it cannot be used, in words; null if it can, or is not configured. */
  readonly problem: string | null
  /** Null if it is not known. */
  readonly version: string | null
}

/** The longest a part may take to answer, in milliseconds. */
const ANSWER_MS = 5_000

/** Asks all parts for a sign of life, in parallel. It does not throw. */
export function describeParts(parts: CheckedParts): Promise<SystemPart[]> {
  const { bus, db, config } = parts
  const described = [
    describe('database', true, async () => ({ version: (await readServerFacts(db)).version })),
    describe('nats', config.nats !== undefined, () => bus.status()),
    ...OUTER_ENGINES.map((engine) =>
      describe(
        engine.name,
        engine.isConfigured(config),
        async () =>
          (await lookAtEngine(engine, parts)) ?? { problem: 'nothing was ever written there', version: null },
      ),
    ),
    describe('embedder', config.embedder !== 'none', () => describeEmbedder(parts)),
  ]
  return Promise.all(described)
}

interface Described {
  readonly problem?: string | null
  readonly version: string | null
}

async function describe(
  name: string,
  configured: boolean,
  look: () => Promise<Described>,
): Promise<SystemPart> {
  if (!configured) return { name, configured, problem: null, version: null }
  try {
    const { problem = null, version } = await withTimeout(ANSWER_MS, look())
    return { name, configured, problem, version }
  } catch (error) {
    return { name, configured, problem: reasonOf(error), version: null }
  }
}

/** Describes the embedder of the live generation's model, which searches use. */
async function describeEmbedder({ db, embedders }: CheckedParts): Promise<Described> {
  const { modelId } = (await liveGeneration(db, PGVECTOR)) ?? embedders.preferred
  const embedder = await embedders.of(modelId)
  return { version: modelId, problem: embedder === null ? `there is none for ${modelId}` : null }
}
