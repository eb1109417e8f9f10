import { type Erasure, MOST_ERASED } from '@daybook/journal/erase/erase-contents'
import { readHead } from '@daybook/journal/read/read'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { type MemoryFilter, narrows } from '@daybook/memory/filter'
import { isUuid } from '@daybook/memory/id'
import { requestRemoval } from '@daybook/operations/request'
import { readPartIds } from '@daybook/pgvector/read/filter'
import { listMemoryIds } from '@daybook/pgvector/read/read-memories'
import { beginDeletion, type DeletedProject, readDeleted } from '@daybook/postgres/access/delete-project'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Context } from './context.ts'
import { requireAtLeast, waitAtLeast } from './find-memories.ts'

/** The most memories that one request erases. */
export const ERASE_MAX = 10_000

/** An erasure, and how far search is behind it. */
export interface Erased extends Erasure {
  /** Null once search has lost the memories, too; else how far behind it is, as a sentence. */
  readonly behind: string | null
}

/**
 * Erases memories by their plain ids, with all parts of long documents. Waits until search has lost them, but not
 * for long: other projections and the event bus follow within seconds.
 * @throws DaybookError BEHIND if search does not know yet what the journal has, such as the parts; nothing is erased
 */
export async function erase(context: Context, memoryIds: readonly string[]): Promise<Erased> {
  const { project, parts } = context
  // An event without data names its writer by the actor.
  const { writer: _, ...metadata } = context.metadata
  await requireWholeJournal(context)
  const { tables } = await context.readModel()
  const furtherParts = await readPartIds(project, tables, memoryIds)
  const all = [...new Set([...memoryIds, ...furtherParts])]
  const events: Erasure['events'][number][] = []
  const missing: string[] = []
  let contents = 0
  for (let from = 0; from < all.length; from += MOST_ERASED) {
    const erased = await parts.writer.erase(project, all.slice(from, from + MOST_ERASED), metadata)
    events.push(...erased.events)
    missing.push(...erased.missing)
    contents += erased.contents
  }
  const last = events.at(-1)
  return { events, missing, contents, behind: await waitAtLeast(context, last?.sequence, last?.hash) }
}

/**
 * The plain ids of the memories that a filter selects for erasure, newest first; forgotten ones too, because their
 * texts are still there.
 * @throws ValidationError for a filter that names nothing, or selects more than `ERASE_MAX`
 */
export async function idsToErase(context: Context, filter: MemoryFilter): Promise<readonly string[]> {
  if (!narrows(filter))
    throw new ValidationError(
      'filter',
      'names nothing: give a context, an agent, a label or another condition',
    )
  await requireWholeJournal(context)
  const { tables } = await context.readModel()
  const found = await listMemoryIds(context.project, tables, {
    filter: { ...filter, includeForgotten: true },
    limit: ERASE_MAX + 1,
  })
  if (found.length > ERASE_MAX)
    throw new ValidationError(
      'filter',
      `selects more than ${ERASE_MAX.toLocaleString('en')} memories: narrow it, for example by createdBefore, and erase the others next`,
    )
  return found
}

const requireWholeJournal = async (context: Context): Promise<void> =>
  requireAtLeast(context, await readHead(context.project), null)

/**
 * Deletes a project for good. When this returns, nobody can read or write it at this gateway, and nobody can write
 * it anywhere. An operation removes what it held. Whoever asks again, by its id, gets the same answer.
 *
 * @param confirm the project's name
 * @throws NotFoundError, ValidationError
 */
export async function deleteProject(
  db: Database,
  context: Pick<Context, 'access' | 'parts'>,
  nameOrId: string,
  confirm: string,
): Promise<DeletedProject> {
  const found = await findProject(db, nameOrId)
  if (found !== null && confirm !== found.name)
    throw new ValidationError('confirm', 'must be the name of the project that is to be deleted for good')
  if (found !== null) {
    await beginDeletion(db, context.access, found.id)
    context.parts.authenticate.forget()
    context.parts.limits.forget()
  }
  const id = found?.id ?? (isUuid(nameOrId) ? nameOrId.toLowerCase() : null)
  const deleted = id === null ? null : await readDeleted(db, id)
  if (deleted === null) throw new NotFoundError(`The project "${nameOrId.slice(0, 64)}"`, 'Daybook')
  if (deleted.finishedAt === null)
    await requestRemoval(db, deleted).catch((error: unknown) => {
      if (!(error instanceof DaybookError && error.code === 'BUSY')) throw error
    })
  return deleted
}

/** What an erasure cannot reach, said in every answer. docs/security.md says what to do about each. */
export const OUT_OF_REACH: readonly string[] = [
  'exports and backups that were made before; another Daybook that imported such an export loses the text when it imports one that is made now',
  'what agents and programs have read and kept',
  'names that are not part of a memory: idempotency keys, correlation ids, names of keys',
  'the free space of tables and the write-ahead log of a Postgres server, of its standbys and archives, until an administrator clears them; a vacuum does not. The embedded database clears its own within minutes, but for tables beyond 64 MiB and for vectors',
  'the log in Typesense’s data folder, until Typesense cuts it off',
  'disks and snapshots of them, which keep what is deleted until it is written over',
]
