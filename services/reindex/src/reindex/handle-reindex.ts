import type { Embedders } from '@daybook/embeddings/embedders'
import type { OperationHandler } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { Logger } from '@daybook/runtime/logger'
import { retryParked } from '../parked/retry-parked.ts'
import { type Projections, projectionOf } from '../projections.ts'
import { abandonRebuild, rebuild } from './rebuild.ts'
import { rewrite } from './rewrite.ts'

/** The parts that a rebuild needs. */
export interface ReindexParts {
  readonly db: Database
  readonly projections: Projections
  readonly embedders: Embedders
  readonly logger: Logger
}

/**
 * Rebuilds a projection beside the live generation. For some kinds or one project, it rewrites memories in
 * place.
 */
export function handleReindex(parts: ReindexParts): OperationHandler<'reindex'> {
  const { db, projections } = parts
  return {
    async run(work) {
      const { options, projection } = work.operation
      const rebuildable = projectionOf(projections, projection)
      const { kinds, projectId } = options
      if (kinds === null && projectId === null) return rebuild(parts, rebuildable, options, work)
      const rewritten = await rewrite(db, rebuildable, { projectId, kinds, range: null }, work)
      const live = await liveGeneration(db, rebuildable.name)
      // A rewrite of a whole project includes its parked events.
      if (projectId === null || kinds !== null || live === null) return rewritten
      const verifiable = rebuildable.check(live)
      return { ...rewritten, ...(await retryParked(db, verifiable, { projectId, memoryIds: null }, work)) }
    },
    async abandon(left) {
      const { kinds, projectId } = left.operation.options
      if (kinds === null && projectId === null)
        await abandonRebuild(db, projectionOf(projections, left.operation.projection), left)
    },
  }
}
