import { readHead, readJournal } from '@daybook/journal/read'
import { readable } from '@daybook/journal/stored-event'
import { ValidationError } from '@daybook/memory/errors'
import type { JournalEvent } from '@daybook/memory/events'
import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import { createWakeUp } from '@daybook/runtime/wake-up'
import type { Context } from './context.ts'

/** Events read at a time. It bounds what a slow client holds in memory: the next page is read when it has taken this one. */
const PAGE = 100

/** Milliseconds after which the journal is looked at even if the bus brought no news. */
const POLL_MS = 1_000

/**
 * A project's events after `after`, without a gap or a repeat, and then live. The bus only says that there is
 * something new; every event comes from the journal, so a slow client is served from there and costs no memory.
 *
 * reading ──page empty──▶ waiting ──bus or poll──▶ reading
 */
export async function* followJournal(
  { project, parts, closing }: Context,
  after: number | null | undefined,
  filter: MemoryFilter,
): AsyncGenerator<JournalEvent> {
  const news = createWakeUp()
  const unsubscribe = parts.bus.subscribe(({ projectId }) => {
    if (projectId === project.projectId) news.raise()
  })
  closing.addEventListener('abort', news.raise)
  try {
    let cursor = after ?? (await readHead(project))
    while (!closing.aborted) {
      const records = await readJournal(project, { after: cursor, limit: PAGE })
      for (const record of records) {
        cursor = record.sequence
        const event = readable(record)
        if (matchesFilter(event.data.state, filter)) yield event
      }
      if (records.length === 0) await news.wait(POLL_MS)
    }
  } finally {
    unsubscribe()
    closing.removeEventListener('abort', news.raise)
  }
}

/** @throws ValidationError */
export function checkAfter(after: number | null | undefined): number | null {
  if (after != null && after < 0) throw new ValidationError('after', 'must not be negative')
  return after ?? null
}
