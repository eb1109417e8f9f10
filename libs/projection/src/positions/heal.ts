import { lastCommon } from '@daybook/journal/read/checkpoints'
import { readCheckedEnd } from '@daybook/journal/read/read'
import { DaybookError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Projection } from '../projection.ts'

/**
 * Takes a diverged projection back to the last cursor that it has passed and its journal still has. From
 * there the projection goes on as usual. If no such cursor is known, everything is rewritten from the beginning. In a project
 * that follows a home a divergence is no accident, and is not logged as one.
 *
 * Refuses if the project's journal is empty or lacks the event at its own end. Such a journal was not
 * shortened by a failover but damaged, and the projection may hold the last copy of its content. The
 * projection then stays diverged until the journal is restored.
 *
 * @param logger null if this divergence was logged before
 * @throws PositionMoved if another replica is working on the project; DaybookError CORRUPT_JOURNAL
 */
export async function heal(
  scope: ProjectScope,
  projection: Projection,
  position: JournalCursor,
  logger: Logger | null,
): Promise<void> {
  const { isSound, isCopy, ...head } = await readCheckedEnd(scope)
  const common = await lastCommon(scope, projection, Math.min(position.sequence, head.sequence))
  const about = {
    projection: projection.name,
    generation: projection.generation,
    projectId: scope.projectId,
    position,
    head,
    common,
  }
  const damaged = head.sequence === 0 ? await isKnown(scope) : !isSound
  if (damaged) {
    const message = `DIVERGED: the projection has applied ${position.sequence} events of a project whose journal ${head.sequence === 0 ? 'is empty' : 'lacks the event at its own end'}. It is left as it is: restore the journal from a backup`
    logger?.error(about, message)
    throw new DaybookError('CORRUPT_JOURNAL', message)
  }
  // A branch's events are replaced each time that its home's arrive.
  if (!isCopy)
    logger?.error(
      about,
      'DIVERGED: the projection has applied events that the journal does not have. It goes back to the last event that both have. Find out what happened to the database',
    )
  await projection.rewind(scope, { from: position, to: common })
  logger?.[isCopy ? 'debug' : 'warn'](
    about,
    'the projection is back at a position that its journal has, and goes on from there',
  )
}

/** Whether the project exists. One that was created in the lost moments is gone together with its journal. */
async function isKnown({ db, projectId }: ProjectScope): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  return row !== undefined
}
