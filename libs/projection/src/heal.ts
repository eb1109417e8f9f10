import { lastCommon } from '@daybook/journal/checkpoints'
import { readEnd } from '@daybook/journal/read'
import type { JournalPlace } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Projection } from './projection.ts'

/**
 * Brings a projection that has diverged back to the last place that its journal has and it came through, from where it goes on
 * as ever. Where no such place is known that is the beginning: everything is posted anew.
 * @throws PositionMoved where another replica is at it
 */
export async function heal(
  scope: ProjectScope,
  projection: Projection,
  position: JournalPlace,
  logger: Logger,
): Promise<void> {
  const head = await readEnd(scope)
  const common = await lastCommon(scope, projection, Math.min(position.sequence, head.sequence))
  const about = {
    projection: projection.name,
    generation: projection.generation,
    projectId: scope.projectId,
    position,
    head,
    common,
  }
  logger.error(
    about,
    'DIVERGED: the projection has applied events that the journal does not have. It goes back to the last place that both have; look at what happened to the database',
  )
  await projection.rewind(scope, { from: position, to: common })
  logger.warn(about, 'the projection is back at a place of its journal and goes on from there')
}
