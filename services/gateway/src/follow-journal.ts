import { readHead, readJournal } from '@daybook/journal/read'
import { readable } from '@daybook/journal/stored-event'
import { ValidationError } from '@daybook/memory/errors'
import type { JournalEvent } from '@daybook/memory/events'
import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import type { Context } from './context.ts'
import { patiently } from './subscriptions/patiently.ts'

/** Events read at a time. It bounds what a slow client holds in memory: the next page is read when it has taken this one. */
const PAGE = 100

/**
 * A project's events after `after`, without a gap or a repeat, and then live. News only say that there is something new; every
 * event comes from the journal, so a slow client is served from there and costs no memory.
 *
 * reading ──short page──▶ waiting ──news──▶ reading; ended from either at once
 */
export async function* followJournal(
  { project, news }: Pick<Context, 'project' | 'news'>,
  after: number | null | undefined,
  filter: MemoryFilter,
  ended: AbortSignal,
): AsyncGenerator<JournalEvent, void> {
  const follower = news.follow(project.projectId)
  try {
    let cursor = after ?? (await patiently(() => readHead(project), ended))
    while (!ended.aborted) {
      const mark = follower.mark()
      const read = () => readJournal(project, { after: cursor, limit: PAGE })
      // Many who follow one journal stand at the same place: one of them reads. The mark keeps out reads begun before the news.
      const records = await patiently(
        () => news.shared(`${project.projectId}/${cursor}/${mark}`, read),
        ended,
      )
      for (const record of records) {
        if (ended.aborted) return
        cursor = record.sequence
        const event = readable(record)
        if (matchesFilter(event.data.state, filter)) yield event
      }
      if (records.length < PAGE) await follower.since(mark, ended)
    }
  } finally {
    follower.stop()
  }
}

/** @throws ValidationError */
export function checkAfter(after: number | null | undefined): number | null {
  if (after != null && after < 0) throw new ValidationError('after', 'must not be negative')
  return after ?? null
}
