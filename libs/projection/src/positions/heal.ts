import { readHash } from '@daybook/journal/chain/read-chain'
import { lastCommon } from '@daybook/journal/read/checkpoints'
import { readEnd } from '@daybook/journal/read/read'
import { DaybookError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Projection } from '../projection.ts'

/**
 * Brings a projection that has diverged back to the last place that its journal has and it came through, from where it goes on
 * as ever. Where no such place is known that is the beginning: everything is written anew.
 *
 * Not where the project's journal is empty, or lacks the event at its own end: that is no end lost in a failover but a journal that
 * was damaged, and what the projection holds may be the last copy of it. It stays DIVERGED then, until the journal is restored.
 *
 * @param logger hears of it; null where it was told before
 * @throws PositionMoved where another replica is at it; DaybookError CORRUPT_JOURNAL
 */
export async function heal(
  scope: ProjectScope,
  projection: Projection,
  position: JournalCursor,
  logger: Logger | null,
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
  const damaged =
    head.sequence === 0 ? await isKnown(scope) : (await readHash(scope, head.sequence)) !== head.hash
  if (damaged) {
    const message = `DIVERGED: the projection has applied ${position.sequence} events of a project whose journal ${head.sequence === 0 ? 'is empty' : 'lacks the event at its own end'}. It is left as it is: restore the journal from a backup`
    logger?.error(about, message)
    throw new DaybookError('CORRUPT_JOURNAL', message)
  }
  logger?.error(
    about,
    'DIVERGED: the projection has applied events that the journal does not have. It goes back to the last place that both have; look at what happened to the database',
  )
  await projection.rewind(scope, { from: position, to: common })
  logger?.warn(about, 'the projection is back at a place of its journal and goes on from there')
}

/** Whether there is such a project: one that was made in the lost moments is gone with its journal. */
async function isKnown({ db, projectId }: ProjectScope): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  return row !== undefined
}
