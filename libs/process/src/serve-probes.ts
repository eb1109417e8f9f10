import { type Database, refusalOf } from '@daybook/postgres/connect'
import { isReachable } from '@daybook/postgres/migrate'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import type { Config } from '@daybook/runtime/config'
import type { ServiceMetrics } from '@daybook/runtime/metrics'
import type { Readiness } from '@daybook/runtime/probes'
import { startServiceHttp } from '@daybook/runtime/service-http'
import type { ProcessParts } from './process-parts.ts'

/**
 * Serves `/health`, `/ready` and `/metrics` for a service without an API. It is ready if it can reach and
 * read the database and no projection has diverged from its journal. Other parts may be unavailable: work
 * continues by itself when they are back.
 * @returns the address
 */
export async function serveProbes(
  config: Config,
  { db, metrics }: { db: Database; metrics: ServiceMetrics },
  { logger, shutdown }: ProcessParts,
): Promise<string> {
  const ready = async (): Promise<Readiness> => {
    const refusal = refusalOf(db)
    if (refusal !== null) return { ready: false, problems: [refusal.message] }
    if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
    const problems = await describeDiverged(db)
    return { ready: problems.length === 0, problems }
  }
  const http = await startServiceHttp({ logger, ready, metrics }, config)
  shutdown.add(http.stop, { part: 'the probes' })
  return http.url
}
