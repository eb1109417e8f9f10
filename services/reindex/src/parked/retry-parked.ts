import { UnavailableError } from '@daybook/memory/errors'
import type { RetryParkedOptions, RetryParkedResult } from '@daybook/operations/operation-types'
import type { OperationHandler, Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { projectScope } from '@daybook/postgres/project-scope'
import { noteRetry } from '@daybook/projection/apply/parked-events'
import { liveGeneration, ofGeneration } from '@daybook/projection/generations/generations'
import type { Verifiable } from '@daybook/projection/verify/verifiable'
import { reasonOf } from '@daybook/runtime/reason-of'
import { type Projections, projectionOf } from '../projects.ts'

/**
 * Tries again to apply parked events, memory by memory. One that fails stays parked, with its new error.
 * @returns how many memories are up to date again, and how many still have parked events
 */
export async function retryParked(
  db: Database,
  verifiable: Verifiable,
  { projectId, memoryIds }: RetryParkedOptions,
  work: Work,
): Promise<RetryParkedResult> {
  const memories = await db
    .selectFrom('parked_events')
    .select(['project_id', 'memory_id'])
    .distinct()
    .where(ofGeneration(verifiable))
    .where('dropped_at', 'is', null)
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId as string))
    .$if(memoryIds !== null, (query) => query.where('memory_id', 'in', memoryIds as string[]))
    .execute()
  let retried = 0
  let failed = 0
  await work.report({ phase: 'retrying', done: 0, total: memories.length })
  for (const { project_id, memory_id } of memories) {
    work.signal.throwIfAborted()
    const scope = projectScope(db, project_id)
    try {
      await verifiable.rewrite(scope, [memory_id], { unpark: true })
      retried += 1
    } catch (error) {
      if (error instanceof UnavailableError || isDatabaseUnavailable(error)) throw error
      await noteRetry(scope, verifiable, memory_id, reasonOf(error))
      failed += 1
    }
    await work.report({ done: retried + failed })
  }
  return { retried, failed }
}

/** Handles `retry-parked`: tries again to apply parked events of the live generation. */
export function handleRetryParked(db: Database, projections: Projections): OperationHandler<'retry-parked'> {
  return {
    async run(work) {
      const { options, projection } = work.operation
      const rebuildable = projectionOf(projections, projection)
      const generation = await liveGeneration(db, rebuildable.name)
      if (generation === null) return { retried: 0, failed: 0 }
      return retryParked(db, rebuildable.check(generation), options, work)
    },
  }
}
