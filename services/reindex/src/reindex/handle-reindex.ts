import type { Embedders } from '@daybook/embeddings/embedders'
import type { ReindexOptions, RewriteResult } from '@daybook/operations/operation-types'
import type { OperationHandler, Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import type { Logger } from '@daybook/runtime/logger'
import { retryParked } from '../parked/retry-parked.ts'
import { type Projections, projectionOf } from '../projects.ts'
import { createPageRegenerator } from './load-projects.ts'
import { abandonRebuild, rebuild } from './rebuild.ts'
import { rewrite } from './rewrite.ts'

/** The parts that a rebuild needs. */
interface ReindexParts {
  readonly db: Database
  readonly projections: Projections
  readonly embedders: Embedders
  readonly logger: Logger
}

/**
 * Rebuilds a projection beside the live generation. For some kinds or one project, it rewrites memories in
 * place, and makes their vectors again if asked to.
 */
export function handleReindex(parts: ReindexParts): OperationHandler<'reindex'> {
  const { db, projections } = parts
  return {
    async run(work) {
      const { options, projection } = work.operation
      const rebuildable = projectionOf(projections, projection)
      const { kinds, projectId } = options
      if (kinds === null && projectId === null) return rebuild(parts, rebuildable, options, work)
      const rewritten = await rewriteSome(parts, rebuildable, options, work)
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

/** Rewrites the memories of some kinds or one project, with new vectors if that is asked for. */
async function rewriteSome(
  parts: ReindexParts,
  rebuildable: RebuildableProjection,
  { projectId, kinds, regenerateEmbeddings }: ReindexOptions,
  work: Work,
): Promise<RewriteResult> {
  const options = { projectId, kinds, range: null }
  if (!regenerateEmbeddings) return rewrite(parts.db, rebuildable, options, work)
  const regenerator = createPageRegenerator(parts, work)
  try {
    return await rewrite(parts.db, rebuildable, { ...options, beforePage: regenerator.regenerate }, work)
  } finally {
    await regenerator.close()
  }
}
