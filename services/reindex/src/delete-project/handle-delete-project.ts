import { UnavailableError } from '@daybook/memory/errors'
import { LaterError, type OperationHandler, type Work } from '@daybook/operations/run-operations'
import {
  type DeletedProject,
  finishDeletion,
  readDeleted,
  removeEvents,
  removeRequests,
} from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { removeRows } from '@daybook/postgres/remove-rows'
import { listGenerations } from '@daybook/projection/generations/generations'
import { PositionMoved } from '@daybook/projection/projection'
import type { Bus } from '@daybook/transport/bus'
import { sql } from 'kysely'
import type { Projections } from '../projects.ts'

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
const SETTLE_MS = 15_000

/** Milliseconds between looks at a rebuild that began before. */
const OTHERS_MS = 5_000

/** What the removal works on. */
interface DeleteProjectParts {
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
  for (const generation of await listGenerations(db)) {
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

/** Events per transaction: on the embedded database, where everybody waits for it, some 50 ms. */
const EVENTS = 1_000

/** Where to go on, and whom to tell how far it is. */
interface RemoveJournalOptions {
  /** The last sequence that is known to be gone. */
  readonly after: number
  readonly onProgress: (done: number) => Promise<void>
}

/** Removes the events and idempotency keys of a deleted project. @returns how many there were */
async function removeJournal(
  { db, projectId }: ProjectScope,
  { events }: DeletedProject,
  { after, onProgress }: RemoveJournalOptions,
): Promise<number> {
  let removed = 0
  for (let from = after + 1; from <= events; from += EVENTS) {
    const to = Math.min(from + EVENTS - 1, events)
    removed += await removeEvents(db, projectId, from, to)
    await onProgress(to)
  }
  for (let last = EVENTS; last === EVENTS; ) {
    last = await removeRequests(db, projectId, EVENTS)
    removed += last
    await onProgress(events)
  }
  return removed
}

/** Rows per statement; with their vectors, texts take the most. */
const ROWS = 500

/** What processes keep about a project beside the journal and the projections. */
const TABLES = [
  'embeddings',
  'erased_texts',
  'memory_access',
  'memory_maps',
  'parked_events',
  'checkpoints',
  'typesense_pending_vectors',
  'typesense_reposts',
  'positions',
  'self_checks',
] as const

/**
 * Removes everything about a deleted project that is neither in the journal nor in a projection: the embedding
 * store with its queue, parked events, and what processes keep for themselves. Call it after the projections.
 * @returns how many rows held something of the project's memories
 */
async function removeRecords(scope: ProjectScope, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (const table of TABLES) removed += await removeRows(scope, sql.table(table), { atOnce: ROWS, signal })
  return removed
}

/**
 * Removes the project's part from the records of ended operations: their options have filters, and their results
 * titles and names.
 * @param but the operation that deletes the project
 */
async function removeOperations(db: Database, projectId: string, but: string): Promise<void> {
  await sql`
    delete from operations where id <> ${but} and status not in ('queued', 'running')
      and (project_id = ${projectId} or options->>'projectId' = ${projectId}) and type <> 'delete-project'`.execute(
    db,
  )
  const about = JSON.stringify([{ projectId }])
  await sql`
    update operations set result = jsonb_set(result, '{projects}', (
      select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements(result->'projects') as one
      where one->>'projectId' <> ${projectId}))
    where result->'projects' @> ${about}::jsonb`.execute(db)
}

/** The ids of running operations that began before the project was deleted, so that they may still write it. */
async function olderOperations(db: Database, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o.id from operations o, deleted_projects d
    where d.project_id = ${projectId} and o.status = 'running' and o.type <> 'delete-project'
      and o.started_at < d.requested_at and coalesce(o.project_id, d.project_id) = d.project_id`.execute(db)
  return rows.map(({ id }) => id)
}
