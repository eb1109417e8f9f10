import { readJournal } from '@daybook/journal/read/read'
import type { LinkedRecord } from '@daybook/journal/read/stored-event'
import { DaybookError } from '@daybook/memory/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/** The most bytes of events, as JSON, in all journal pages of one request. */
export const JOURNAL_BYTES = 4 * 1024 * 1024

/** Events read at a time. Texts may have 256 KB, so this bounds what is read beyond the budget. */
const SLICE = 50

/** The bytes left for journal pages in a request. */
export interface JournalBudget {
  bytes: number
}

/**
 * Reads a page of the journal. If its events are long, it has fewer than `first`: it ends after the event
 * that uses up the budget. It is empty only if there are no more events, so a client that continues with
 * `after` until then misses nothing.
 *
 * @throws DaybookError RESPONSE_TOO_LARGE if earlier pages in the same request have used up the budget
 */
export async function readJournalPage(
  scope: ProjectScope,
  { after, first }: { readonly after: number; readonly first: number },
  budget: JournalBudget,
): Promise<LinkedRecord[]> {
  const page: LinkedRecord[] = []
  if (budget.bytes <= 0) throw tooLarge()
  for (let cursor = after; page.length < first; ) {
    const slice = await readJournal(scope, { after: cursor, limit: Math.min(SLICE, first - page.length) })
    for (const record of slice) {
      if (budget.bytes <= 0) {
        if (page.length === 0) throw tooLarge()
        return page
      }
      budget.bytes -= JSON.stringify(record.event ?? null).length
      page.push(record)
      cursor = record.sequence
    }
    if (slice.length < SLICE) break
  }
  return page
}

const tooLarge = () =>
  new DaybookError(
    'RESPONSE_TOO_LARGE',
    `The journal pages of this request hold ${JOURNAL_BYTES} bytes already, which is the limit: ask for the others in requests of their own`,
  )
