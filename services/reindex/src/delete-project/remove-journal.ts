import { type DeletedProject, removeEvents, removeRequests } from '@daybook/postgres/access/delete-project'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/** Events per transaction: on the embedded database, where everybody waits for it, some 50 ms. */
const EVENTS = 1_000

/** Where to go on, and whom to tell how far it is. */
export interface RemoveJournalOptions {
  /** The last sequence that is known to be gone. */
  readonly after: number
  readonly onProgress: (done: number) => Promise<void>
}

/** Removes the events and idempotency keys of a deleted project. @returns how many there were */
export async function removeJournal(
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
