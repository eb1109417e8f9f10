import { readHead } from '@daybook/journal/read'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations'
import { countParked } from '@daybook/projection/parked-events'
import { readPosition } from '@daybook/projection/positions'
import { TYPESENSE } from './generation.ts'

/** How far the Typesense projection has come with a project's journal; the same shape as the pgvector projection's. */
export async function typesenseStatus(scope: ProjectScope, { generation }: Pick<Generation, 'generation'>) {
  const place = { name: TYPESENSE, generation }
  const position = await readPosition(scope.db, place, scope.projectId)
  const head = await readHead(scope)
  const { pending } = await scope.db
    .selectFrom('typesense_pending_vectors')
    .select((eb) => eb.fn.countAll<number>().as('pending'))
    .where('generation', '=', generation)
    .where('project_id', '=', scope.projectId)
    .executeTakeFirstOrThrow()
  return {
    ...place,
    position,
    head,
    lag: Math.max(0, head - position),
    /** Memories that are found by words already but not by meaning yet. */
    pendingEmbeddings: pending,
    parked: await countParked(scope, place),
    status: 'live' as const,
  }
}
