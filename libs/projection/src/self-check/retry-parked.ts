import { UnavailableError } from '@daybook/memory/errors'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { reasonOf } from '@daybook/runtime/reason-of'
import { sql } from 'kysely'
import { noteRetry } from '../apply/parked-events.ts'
import type { Verifiable } from '../verify/verifiable.ts'

/** Seconds after which events that were tried 5 times and parked are tried again; then after twice that, and so on for good. */
const FIRST_AFTER_S = 10
/** Memories tried again in one look. */
const AT_A_TIME = 10

/**
 * Tries parked events of a project again whose time has come: what kept them out is often mended meanwhile, by a newer version or an
 * operator who need not come back for them. One that fails stays parked, with what it failed of now.
 */
export async function retryParked(scope: ProjectScope, verifiable: Verifiable): Promise<void> {
  const { name, generation } = verifiable
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from parked_events
    where projection = ${name} and generation = ${generation} and project_id = ${scope.projectId} and dropped_at is null
    group by memory_id
    having max(parked_at) + make_interval(secs => ${FIRST_AFTER_S}::int * power(2, least(max(attempts), 30) - 5)) < now()
    order by max(attempts) limit ${AT_A_TIME}`.execute(scope.db)
  for (const { memory_id: memoryId } of rows)
    try {
      await verifiable.rewrite(scope, [memoryId], { unpark: true })
    } catch (error) {
      if (error instanceof UnavailableError || isDatabaseUnavailable(error)) throw error
      await noteRetry(scope, verifiable, memoryId, reasonOf(error))
    }
}
