import { readHash } from '@daybook/journal/chain/read-chain'
import { readCheckedEnd, readJournal } from '@daybook/journal/read/read'
import type { LinkedRecord } from '@daybook/journal/read/stored-event'
import { DaybookError, DivergedError, ValidationError } from '@daybook/memory/errors'
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

/** A place in the journal as a client names it: a sequence, and optionally the hash of the event there. */
export interface NamedPlace {
  readonly sequence: number
  readonly hash: string | null
}

/**
 * Reads the place that a client names with the arguments `name` and `nameHash`; null if it names none.
 * @throws ValidationError
 */
export function checkPlace(
  name: 'after' | 'atLeast',
  sequence: number | null | undefined,
  hash: string | null | undefined,
): NamedPlace | null {
  if (sequence != null && sequence < 0) throw new ValidationError(name, 'must not be negative')
  if (hash == null) return sequence == null ? null : { sequence, hash: null }
  if (sequence == null)
    throw new ValidationError(name, `is required with ${name}Hash, which is the hash of that event`)
  if (!/^[0-9a-f]{64}$/u.test(hash))
    throw new ValidationError(`${name}Hash`, 'must be the hash of an event: 64 digits of lower-case hex')
  return { sequence, hash }
}

/**
 * Checks that the journal has the place: an event with the given hash, or any event at the sequence if there
 * is no hash.
 * @throws DivergedError
 */
export async function requirePlace(
  project: ProjectScope,
  name: 'after' | 'atLeast',
  { sequence, hash }: NamedPlace,
): Promise<void> {
  const stored = await readHash(project, sequence)
  if (stored !== null && (hash === null || stored === hash)) return
  const { sequence: head, isCopy } = await readCheckedEnd(project)
  throw new DivergedError(`The event of ${name}:`, { sequence, head, lastCommon: null, isCopy })
}
