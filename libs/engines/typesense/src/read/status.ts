import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { type ProjectionStatus, readProjectStatus } from '@daybook/projection/status/project-status'
import { TYPESENSE } from '../write/generation.ts'

/**
 * How far the Typesense projection has come with a project's journal.
 *
 * @param reachable whether Typesense answers, as far as the caller knows. Default true
 */
export async function typesenseStatus(
  scope: ProjectScope,
  { generation }: Pick<Generation, 'generation'>,
  reachable = true,
): Promise<ProjectionStatus> {
  // Read before the waiting memories, which are recorded together with the position. Read after them, the
  // position could be that of a batch whose waiting memories were missed.
  const status = await readProjectStatus(scope, { projection: TYPESENSE, generation }, reachable)
  const { pending } = await scope.db
    .selectFrom('typesense_pending_vectors')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('generation', '=', generation)
    .where('project_id', '=', scope.projectId)
    .executeTakeFirstOrThrow()
  return { ...status, pendingEmbeddings: pending }
}
