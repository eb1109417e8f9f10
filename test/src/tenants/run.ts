import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { createRandom, derivedSeed } from '../support/random.ts'
import { act, createTenant, marksIn, type Tenant } from './tenant.ts'

/** The options of a run. */
export interface TenantsRunOptions {
  readonly projects: number
  /** With which each project begins. */
  readonly memories: number
  readonly requests: number
  readonly seed: number
  /** Of a Postgres server. Default the embedded database. */
  readonly databaseUrl?: string
  /** Called with a line now and then. */
  readonly report?: (line: string) => void
}

/** The result of a run. */
export interface TenantsRun {
  readonly requests: number
  /** Answers that held marks of their own project. */
  readonly withOwn: number
  /** Answers that held another's, or an error of ours. */
  readonly leaks: readonly string[]
}

const CLIENTS = 16
const REPORT_EVERY = 10_000
const LEAKS_NAMED = 20

/**
 * Many projects on one daemon, whose requests are mixed at random and run side by side, so that sessions of the
 * database, caches and batches pass from project to project. No answer may hold another project's mark.
 */
export async function runTenants(options: TenantsRunOptions): Promise<TenantsRun> {
  const { databaseUrl } = options
  const daemon = createTestDaemon(undefined, {
    environment: {
      DAYBOOK_EMBEDDER: 'test-hash/64',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  })
  try {
    await daemon.start()
    return await useTenants(daemon, options)
  } finally {
    await daemon.remove()
  }
}

async function useTenants(
  daemon: TestDaemon,
  { projects, memories, requests, seed, report = () => {} }: TenantsRunOptions,
): Promise<TenantsRun> {
  const tenants: Tenant[] = []
  for (let number = 0; number < projects; number += 1)
    tenants.push(
      await createTenant(daemon, number, { memories, random: createRandom(derivedSeed(seed, number)) }),
    )
  report(`${projects} projects with ${memories} memories each`)
  const leaks: string[] = []
  let withOwn = 0
  let sent = 0
  const client = async (index: number) => {
    const random = createRandom(derivedSeed(seed, projects + index))
    while (sent < requests && leaks.length < LEAKS_NAMED) {
      sent += 1
      if (sent % REPORT_EVERY === 0) report(`${sent} requests, ${withOwn} with marks, ${leaks.length} leaks`)
      const tenant = random.oneOf(tenants)
      const answer = await act(daemon, tenant, random.oneOf(tenants.filter((one) => one !== tenant)), random)
      const marks = marksIn(answer)
      if (marks.has(tenant.number)) withOwn += 1
      if ([...marks].some((number) => number !== tenant.number) || answer.includes('"INTERNAL"'))
        leaks.push(`tenant ${tenant.number} was answered ${answer.slice(0, 2_000)}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
  return { requests: sent, withOwn, leaks }
}
