import type { OperationHandler } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { type Projections, projectionOf } from '../projections.ts'
import { retryParked } from './retry-parked.ts'

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
