import { UnavailableError } from '@daybook/memory/errors'
import type { RetryParkedOptions } from '@daybook/operations/options'
import type { OperationHandler } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { projectScope } from '@daybook/postgres/project-scope'
import { liveGeneration } from '@daybook/projection/generations'
import { noteRetry } from '@daybook/projection/parked-events'
import { type Projections, projectionOf } from '../projections.ts'

/** Tries to apply parked events again, memory by memory: one that fails stays parked, with what it failed of now. */
export function handleRetryParked(db: Database, projections: Projections): OperationHandler {
  return {
    async run(work) {
      const { projectId, memoryIds } = work.operation.options as unknown as RetryParkedOptions
      const rebuildable = projectionOf(projections, work.operation.projection)
      const generation = await liveGeneration(db, rebuildable.name)
      if (generation === null) return { retried: 0, failed: 0 }
      const checkable = rebuildable.check(generation)
      const memories = await db
        .selectFrom('parked_events')
        .select(['project_id', 'memory_id'])
        .distinct()
        .where('projection', '=', checkable.name)
        .where('generation', '=', checkable.generation)
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
          await checkable.repost(scope, [memory_id], { unpark: true })
          retried += 1
        } catch (error) {
          if (error instanceof UnavailableError || isDatabaseUnavailable(error)) throw error
          await noteRetry(scope, checkable, memory_id, error instanceof Error ? error.message : String(error))
          failed += 1
        }
        await work.report({ done: retried + failed })
      }
      return { retried, failed }
    },
  }
}
