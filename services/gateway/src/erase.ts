import { type Erasure, eraseMemories, MOST_ERASED } from '@daybook/journal/erase/erase-memories'
import { readHead } from '@daybook/journal/read/read'
import { ValidationError } from '@daybook/memory/errors'
import { conditionsOf, type MemoryFilter } from '@daybook/memory/filter'
import type { Memory } from '@daybook/memory/state'
import { readPartIds } from '@daybook/pgvector/read/links'
import { listMemories } from '@daybook/pgvector/read/read-memories'
import { requireAtLeast } from './at-least.ts'
import type { Context } from './context.ts'

/** What an erasure cannot reach, said in every answer. */
export const OUT_OF_REACH: readonly string[] = [
  'exports and backups that were made before, and other Daybooks that imported them',
  'what agents and programs have read and kept',
  'the database’s write-ahead log and free space, on this machine and on replicas, until they are written over: "vacuum full" and a checkpoint do that at once',
]

/** The most memories that one request erases. */
export const ERASE_MAX = 10_000

/**
 * Erases memories by their plain ids, with all parts of long documents. Answers once the journal and the search
 * index have lost them; other projections and the event bus follow within seconds.
 */
export async function erase(context: Context, memoryIds: readonly string[]): Promise<Erasure> {
  const { project, parts, metadata } = context
  const { tables } = await context.readModel()
  const furtherParts = await readPartIds(project, tables, memoryIds)
  const all = [...new Set([...memoryIds, ...furtherParts])]
  const events: Erasure['events'][number][] = []
  const missing: string[] = []
  let contents = 0
  for (let from = 0; from < all.length; from += MOST_ERASED) {
    const erased = await eraseMemories(project, all.slice(from, from + MOST_ERASED), metadata)
    // Only hurries: the relay finds the events in the journal, too.
    await parts.bus.publish(project.projectId, erased.events).catch(() => {})
    events.push(...erased.events)
    missing.push(...erased.missing)
    contents += erased.contents
  }
  const last = events.at(-1)
  if (last !== undefined) await requireAtLeast(context, last.sequence, last.hash)
  return { events, missing, contents }
}

/**
 * The memories that a filter selects for erasure, forgotten ones too: their texts are still there.
 * @throws ValidationError for a filter that names nothing, or selects more than `ERASE_MAX`
 */
export async function memoriesToErase(context: Context, filter: MemoryFilter): Promise<readonly Memory[]> {
  if (conditionsOf(filter).length === 0)
    throw new ValidationError(
      'filter',
      'names nothing: give a context, an agent, a label or another condition',
    )
  await requireAtLeast(context, await readHead(context.project), null)
  const { tables } = await context.readModel()
  const found = await listMemories(context.project, tables, {
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
