import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { refusalOf } from '@daybook/postgres/connect'
import { isReachable } from '@daybook/postgres/migrate'
import { describeDiverged } from '@daybook/projection/positions/divergence'
import type { Readiness } from '@daybook/runtime/probes'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { GatewayParts } from '../parts.ts'

/**
 * Checks what every request needs: a database that this version may read, and a live generation that agrees
 * with the journal.
 */
export async function readiness({ db }: GatewayParts): Promise<Readiness> {
  const refusal = refusalOf(db)
  if (refusal !== null) return { ready: false, problems: [refusal.message] }
  if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
  try {
    await liveReadModel(db)
    const problems = await describeDiverged(db)
    return { ready: problems.length === 0, problems }
  } catch (error) {
    return { ready: false, problems: [reasonOf(error)] }
  }
}
