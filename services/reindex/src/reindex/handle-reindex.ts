import type { Embedders } from '@daybook/embeddings/embedders'
import type { ReindexOptions } from '@daybook/operations/options'
import type { OperationHandler } from '@daybook/operations/work'
import type { Database } from '@daybook/postgres/connect'
import type { Logger } from '@daybook/runtime/logger'
import { type Projections, projectionOf } from '../projections.ts'
import { abandonRebuild, rebuild } from './rebuild.ts'
import { repost } from './repost.ts'

export interface ReindexParts {
  readonly db: Database
  readonly projections: Projections
  readonly embedders: Embedders
  readonly logger: Logger
}

/** Rebuilds a projection beside the live generation; or, of some kinds or one project, posts memories anew in place. */
export function handleReindex(parts: ReindexParts): OperationHandler {
  const { db, projections } = parts
  return {
    run(work) {
      const options = work.operation.options as unknown as ReindexOptions
      const rebuildable = projectionOf(projections, work.operation.projection)
      return options.kinds === null && options.projectId === null
        ? rebuild(parts, rebuildable, options, work)
        : repost(db, rebuildable, { projectId: options.projectId, kinds: options.kinds, range: null }, work)
    },
    async abandon({ operation, checkpoint }) {
      const { kinds, projectId } = operation.options as unknown as ReindexOptions
      if (kinds === null && projectId === null)
        await abandonRebuild(db, projectionOf(projections, operation.projection), checkpoint)
    },
  }
}
