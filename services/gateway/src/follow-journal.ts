import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import { readHash } from '@daybook/journal/chain/read-chain'
import { readCheckedEnd, readEnd, readFollowing } from '@daybook/journal/read/read'
import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { authorsOf } from '@daybook/memory/authors'
import { DivergedError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { type MemoryFilter, matchesFilter } from '@daybook/memory/filter'
import { isAtLeast, type Trust, trustIn, USUAL_TRUST } from '@daybook/memory/trust'
import { readWithheld, type Withheld } from '@daybook/pgvector/read/access'
import { readTrust } from '@daybook/postgres/access/quarantines'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Context } from './context.ts'
import { type ShownRecord, showRecord } from './find-memories.ts'
import { type NamedPlace, requirePlace } from './journal-page.ts'
import { retryWhileUnavailable } from './subscriptions/open-subscriptions.ts'

/**
 * Events read at a time. The next page is read when the client has taken this one, so a slow client holds one
 * page in memory.
 */
const PAGE = 100

/**
 * Past places that a follower remembers. If the journal loses its end, they tell the client where to resume.
 */
const REMEMBERED = 1_000

/**
 * Yields a project's events after `after`, without a gap or a repeat, and then live. News only say that there
 * is something new. Every event is read from the journal, so a slow client costs no memory.
 *
 * reading ──short page──▶ waiting ──news──▶ reading; it can end from either state at once
 *
 * Each page must follow the last delivered event. If the journal no longer has that event, it has lost its
 * end. Then delivered events are no longer true, and the client must learn it.
 * @throws DivergedError
 */
export async function* followJournal(
  { project, parts: { news } }: Pick<Context, 'project' | 'parts'>,
  after: NamedPlace | null,
  filter: MemoryFilter,
  ended: AbortSignal,
): AsyncGenerator<ShownRecord, void> {
  const follower = news.follow(project.projectId)
  try {
    let cursor = await retryWhileUnavailable(() => placeOf(project, after), ended)
    const passed: JournalCursor[] = [cursor]
    while (!ended.aborted) {
      const mark = follower.mark()
      const read = () => readFollowing(project, cursor, PAGE)
      // Followers of one journal are often at the same place: one reads for all. The mark excludes reads
      // begun before the news.
      const records = await retryWhileUnavailable(
        () => news.shared(`${project.projectId}/${cursor.hash}/${mark}`, read),
        ended,
      ).catch(async (error: unknown) => {
        throw error instanceof JournalDiverged ? await divergedAt(project, passed, cursor) : error
      })
      const standing = createStanding(project, filter, records)
      for (const record of records) {
        if (ended.aborted) return
        const { withheld, trusts } = await retryWhileUnavailable(() => standing.ofWriters(record), ended)
        cursor = record
        passed.push({ sequence: record.sequence, hash: record.hash })
        if (passed.length > REMEMBERED) passed.splice(0, passed.length - REMEMBERED / 2)
        if (concerns(record, filter) && trusts) yield showRecord(withheld, record)
      }
      if (records.length < PAGE) await follower.since(mark, ended)
    }
  } finally {
    follower.stop()
  }
}

/** How long who is in quarantine is known for the events of a page, in milliseconds: a client may take them slowly. */
const STANDING_MS = 1_000

interface WriterStanding {
  readonly withheld: Withheld
  /** Whether the memory is trusted as far as the filter wants. */
  readonly trusts: boolean
}

/**
 * Looks up how the writers of a page's events stand, when an event is delivered and not when the page was read: for all
 * events of the page at once, and again when that is no longer new.
 */
function createStanding({ db }: ProjectScope, { minTrust }: MemoryFilter, records: readonly JournalRecord[]) {
  let known: { readonly withheld: Withheld; readonly trusts: Map<string, Trust> } | null = null
  let readAt = 0
  const look = async () => {
    const keys = minTrust === undefined ? [] : records.flatMap(({ event }) => authorKeys(event))
    const trusts = keys.length === 0 ? new Map<string, Trust>() : await readTrust(db, [...new Set(keys)])
    return { withheld: await readWithheld(db), trusts }
  }
  return {
    async ofWriters({ event }: JournalRecord): Promise<WriterStanding> {
      if (known === null || performance.now() - readAt > STANDING_MS) {
        known = await look()
        readAt = performance.now()
      }
      const { withheld, trusts } = known
      if (minTrust === undefined || event === null) return { withheld, trusts: true }
      const trust = trustIn(event.data.state, (key) => trusts.get(key) ?? USUAL_TRUST)
      return { withheld, trusts: isAtLeast(trust, minTrust) }
    },
  }
}

const authorKeys = (event: JournalRecord['event']): string[] =>
  event === null ? [] : authorsOf(event.data.state).map(({ key }) => key)

/**
 * Whether an event passes the filter. One that is erased or cannot be read might have matched, so it passes.
 */
const concerns = ({ event }: JournalRecord, filter: MemoryFilter): boolean =>
  event === null || matchesFilter(event.data.state, filter)

/** Where to begin; the journal's end if the client names no place. @throws DivergedError */
async function placeOf(project: ProjectScope, after: NamedPlace | null): Promise<JournalCursor> {
  if (after === null) return readEnd(project)
  await requirePlace(project, 'after', after)
  const hash = after.hash ?? (await readHash(project, after.sequence))
  if (hash === null) throw new Error(`the journal has lost event ${after.sequence} just now`)
  return { sequence: after.sequence, hash }
}

async function divergedAt(
  project: ProjectScope,
  passed: readonly JournalCursor[],
  { sequence }: JournalCursor,
): Promise<DivergedError> {
  const { sequence: head, isCopy } = await readCheckedEnd(project)
  const lastCommon = await lastOf(project, passed)
  return new DivergedError('Event', { sequence, head, lastCommon, isCopy })
}

/** The last of these places up to which the journal still has all of them; null if it has none. */
async function lastOf(project: ProjectScope, passed: readonly JournalCursor[]): Promise<number | null> {
  let [has, hasNot] = [-1, passed.length]
  while (hasNot - has > 1) {
    const middle = Math.floor((has + hasNot) / 2)
    const place = passed[middle] as JournalCursor
    if ((await readHash(project, place.sequence)) === place.hash) has = middle
    else hasNot = middle
  }
  return passed[has]?.sequence ?? null
}
