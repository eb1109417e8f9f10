import type { Work } from '@daybook/operations/run-operations'
import type { Database } from '@daybook/postgres/connect'
import { onOneConnection } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import type { RebuildableProjection } from '@daybook/projection/rebuild/rebuildable-projection'
import { verifyProject } from '@daybook/projection/verify/verify-project'
import { forEachAtOnce } from '@daybook/runtime/timers'
import { readProjects } from '../projects.ts'

/**
 * Compares a new generation with the journals of all projects.
 * @throws if the new generation differs from the journal, because then it must not become live
 */
export async function compareGeneration(
  db: Database,
  rebuildable: RebuildableProjection,
  generation: Generation,
  work: Work,
): Promise<void> {
  const verifiable = rebuildable.check(generation)
  let done = 0
  await forEachAtOnce(await readProjects(db, null), rebuildable.parallel, async ({ scope, name }) => {
    const verified = await onOneConnection(scope, (one) =>
      verifyProject(one, verifiable, {
        signal: work.signal,
        onProgress: async (memories) => {
          done += memories
          await work.report({ done })
        },
      }),
    )
    if (verified.journalDigest !== verified.projectionDigest) {
      const [first] = verified.differences
      throw new Error(
        `The new generation is not what the journal of project "${name}" says: ${verified.differences.length} memories differ${
          first === undefined ? '' : `, such as ${first.memoryId} (${first.differs.join(', ')})`
        } ${verified.indexProblems.join('; ')}. It was not made live.`,
      )
    }
  })
}
