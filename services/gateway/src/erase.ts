import { type Erasure, MOST_ERASED } from '@daybook/journal/erase/erase-memories'
import { readHead } from '@daybook/journal/read/read'
import { ValidationError } from '@daybook/memory/errors'
import { type MemoryFilter, narrows } from '@daybook/memory/filter'
import { readPartIds } from '@daybook/pgvector/read/links'
import { listMemoryIds } from '@daybook/pgvector/read/read-memories'
import { requireAtLeast, waitAtLeast } from './at-least.ts'
import type { Context } from './context.ts'

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
