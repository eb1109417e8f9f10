import { UnavailableError } from '@daybook/memory/errors'
import { LaterError, type OperationHandler, type Work } from '@daybook/operations/work'
import { type DeletedProject, finishDeletion, readDeleted } from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { allGenerations } from '@daybook/projection/generations/generations'
import { PositionMoved } from '@daybook/projection/projection'
import type { Bus } from '@daybook/transport/bus'
import type { Projections } from '../projections.ts'
import { removeJournal } from './remove-journal.ts'
import { olderOperations, removeOperations, removeRecords } from './remove-records.ts'

/*
 * What a deleted project held is removed in rounds. The project is gone for its users from the beginning, so
 * nothing new comes in but what processes were just writing:
 *
 *   removing ──nothing left to remove here──▶ waiting ──after `settleMs`──▶ removing ──found nothing──▶ finished
 *      ▲                                         ▲                             │
 *      │ an engine or the bus is unavailable     └────────found something──────┘
 *      └──(tried again)
 *
 * The events go first: a projector that has a batch of them in hand then finds that the journal does not have its
 * end, and writes nothing. `settleMs` is longer than a relay's or a projector's lease. Where Typesense or NATS is
 * down, the rest is removed all the same.
 */

/** How long no more may come from processes that were at work, in milliseconds. */
export const SETTLE_MS = 15_000

/** Milliseconds between looks at a rebuild that began before. */
const OTHERS_MS = 5_000

/** What the removal works on. */
export interface DeleteProjectParts {
  readonly db: Database
  readonly bus: Bus
  readonly projections: Projections
  /** Default `SETTLE_MS`. */
  readonly settleMs?: number | undefined
}

/** Removes all that a deleted project held. Goes on after a crash, with the journal where it was. */
export function handleDeleteProject(parts: DeleteProjectParts): OperationHandler<'delete-project'> {
  const { db, settleMs = SETTLE_MS } = parts
  return {
    async run(work) {
      const { operation, checkpoint, signal } = work
      const { projectId } = operation.options
      const deleted = await readDeleted(db, projectId)
      if (deleted === null) throw new Error(`the project ${projectId} is not deleted`)
      const emptyAt = checkpoint?.['emptyAt']
      const waitMs = typeof emptyAt === 'number' ? emptyAt + settleMs - Date.now() : 0
      if (waitMs > 0) throw new LaterError('looks once more for what was being written', waitMs)

      const removed = await removeOnce(parts, work, deleted)
      const others = await olderOperations(db, projectId)
      if (others.length > 0)
        throw new LaterError(`operations that began before must end: ${others.join(', ')}`, OTHERS_MS)
      if (removed > 0 || typeof emptyAt !== 'number') {
        await work.report({ phase: 'looking once more', checkpoint: { emptyAt: Date.now() } })
        throw new LaterError('looks once more for what was being written', settleMs)
      }
      signal.throwIfAborted()
      await finishDeletion(db, projectId)
      return { events: deleted.events }
    },
  }
}

/** Removes what is there, also where a part is unavailable. @throws UnavailableError, once all else is removed */
async function removeOnce(
  { db, bus, projections }: DeleteProjectParts,
  work: Work<'delete-project'>,
  deleted: DeletedProject,
): Promise<number> {
  const { checkpoint, signal } = work
  const { id, events } = deleted
  const scope = projectScope(db, id)
  const after = checkpoint?.['after']
  await work.report({ phase: 'removing the journal', done: 0, total: events })
  let removed = await removeJournal(scope, deleted, {
    after: typeof after === 'number' ? after : 0,
    onProgress: (done) =>
      work.report({ done, ...(checkpoint?.['emptyAt'] === undefined && { checkpoint: { after: done } }) }),
  })
  await work.report({ phase: 'removing what was made from it' })
  const problems: Error[] = []
  const attempt = async (remove: () => Promise<number>): Promise<void> => {
    try {
      removed += await remove()
    } catch (error) {
      const problem = asUnavailable(error)
      if (problem === null) throw error
      problems.push(problem)
    }
  }
  for (const generation of await allGenerations(db)) {
    const { projection } = generation
    await attempt(async () => {
      const rebuildable = projections.get(projection)
      if (rebuildable === undefined)
        throw new UnavailableError(
          `Generation ${generation.generation} of ${projection} may hold something of the project, and ${projection} is not configured here`,
        )
      return rebuildable.removeProject(generation, scope, { events, signal })
    })
  }
  await attempt(async () => {
    await bus.forget(id, signal)
    return 0
  })
  removed += await removeRecords(scope, signal)
  await removeOperations(db, id, work.operation.id)
  const [problem] = problems
  if (problem !== undefined) throw problem
  return removed
}

function asUnavailable(error: unknown): UnavailableError | null {
  if (error instanceof UnavailableError) return error
  // Its lease ends, and its next batch finds no journal.
  return error instanceof PositionMoved
    ? new UnavailableError('A projector is writing the project', { cause: error })
    : null
}
