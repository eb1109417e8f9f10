import { UnavailableError } from '@daybook/memory/errors'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { reasonOf } from '@daybook/runtime/reason-of'
import { sql } from 'kysely'
import { noteRetry } from '../apply/parked-events.ts'
import type { Verifiable } from '../verify/verifiable.ts'

/**
 * Seconds until events that were parked after 5 attempts are retried. The time doubles with every further
 * attempt.
 */
const FIRST_AFTER_S = 10
/** Memories retried in one look. */
const AT_A_TIME = 10

/**
 * Retries the parked events of a project that are due. By then a newer version or an operator has often
 * removed the cause. An event that fails again stays parked with its new error.
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
