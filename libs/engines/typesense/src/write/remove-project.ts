import type { ProjectScope } from '@daybook/postgres/project-scope'
import { forgetPosition } from '@daybook/projection/positions/positions'
import type { RemoveOptions } from '@daybook/projection/rebuild/rebuildable-projection'
import { orNull } from '../client/errors.ts'
import { ofProject } from '../verify/export-documents.ts'
import { withProjectLease } from './with-project-lease.ts'
import type { GenerationWriter } from './writer.ts'

/** Documents per call have at most so many different sequences: an answer comes within the time of a call. */
const SEQUENCES = 1_000

/**
 * Deletes all documents of a deleted project from a generation, and what Postgres keeps about them. It holds the
 * project's lease, so nobody else writes meanwhile.
 * @returns how many documents there were
 * @throws PositionMoved if another process has the project; TypesenseUnavailableError
 */
export async function removeProject(
  writer: GenerationWriter,
  scope: ProjectScope,
  { events, signal }: RemoveOptions,
): Promise<number> {
  const { client, collection, place } = writer
  const { projectId } = scope
  let removed = 0
  await withProjectLease(writer, scope, null, async (held) => {
    const remove = async (filter: string): Promise<void> => {
      signal.throwIfAborted()
      const answer = await held.write([], () =>
        // There is no such collection if nothing was ever written.
        orNull(
          client.request((typesense) =>
            typesense.collections(collection).documents().delete({ filter_by: filter }),
          ),
        ),
      )
      removed += answer?.num_deleted ?? 0
    }
    for (let upTo = SEQUENCES; upTo < events; upTo += SEQUENCES)
      await remove(`${ofProject(projectId)} && sequence:<=${upTo}`)
    await remove(ofProject(projectId))
    await held.commit(async (trx) => {
      for (const table of ['typesense_pending_vectors', 'typesense_reposts'] as const)
        await trx
          .deleteFrom(table)
          .where('generation', '=', place.generation)
          .where('project_id', '=', projectId)
          .execute()
      await forgetPosition({ db: trx, projectId }, place)
    })
  })
  return removed
}
