import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations'
import { type ProjectionStatus, readProjectStatus } from '@daybook/projection/project-status'
import { TYPESENSE } from './generation.ts'

/**
 * How far the Typesense projection has come with a project's journal.
 *
 * @param reachable whether Typesense answers, as far as the caller knows
 */
export async function typesenseStatus(
  scope: ProjectScope,
  { generation }: Pick<Generation, 'generation'>,
  reachable = true,
): Promise<ProjectionStatus> {
  const { pending } = await scope.db
    .selectFrom('typesense_pending_vectors')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('generation', '=', generation)
    .where('project_id', '=', scope.projectId)
    .executeTakeFirstOrThrow()
  const status = await readProjectStatus(scope, { projection: TYPESENSE, generation }, reachable)
  return { ...status, pendingEmbeddings: pending }
}
