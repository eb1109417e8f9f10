import { isReachable } from '@daybook/postgres/migrate'
import { liveReadModel } from '@daybook/read-model/live-read-model'
import type { GatewayParts } from '../parts.ts'

/** Whether requests can be served now, and if not, why. */
export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly string[]
}

/** Looks at what every request needs: the database and a live generation of the read model. */
export async function readiness({ db }: GatewayParts): Promise<Readiness> {
  if (!(await isReachable(db))) return { ready: false, problems: ['the database cannot be reached'] }
  try {
    await liveReadModel(db)
    return { ready: true, problems: [] }
  } catch (error) {
    return { ready: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
}
