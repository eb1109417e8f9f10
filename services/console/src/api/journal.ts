import { type ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { HEAD } from '@daybook/client/documents/memory'
import { read } from './client.ts'
import type { JournalEvent } from './events.ts'

const PAGE = queries.journal(`
  sequence hash status type memoryId version actor recordedAt
  writer { agent } memory { kind title agent context }`)

type Paged = ResultOf<typeof PAGE>['journal'][number]

/** An event as a list shows it: without the memory's state, so that ten thousand of them are a few megabytes. */
export interface JournalEntry {
  readonly sequence: number
  readonly hash: string
  readonly status: Paged['status']
  readonly type: string
  readonly memoryId: string
  readonly version: number
  /** The name of the key; null for what Daybook does itself. */
  readonly actor: string | null
  /** RFC 3339. */
  readonly recordedAt: string
  /** Who wrote, else whom the memory is of. */
  readonly agent: string | null
  /** Upper case; null where the event says nothing any more. */
  readonly kind: string | null
  readonly title: string | null
  readonly context: string | null
}

/** What a list keeps of an event. */
export const toEntry = (event: Paged | JournalEvent): JournalEntry => ({
  sequence: event.sequence,
  hash: event.hash,
  status: event.status,
  type: event.type,
  memoryId: event.memoryId,
  version: event.version,
  actor: event.actor,
  recordedAt: event.recordedAt,
  agent: event.writer?.agent ?? event.memory?.agent ?? null,
  kind: event.memory?.kind ?? null,
  title: event.memory?.title ?? null,
  context: event.memory?.context ?? null,
})

/** The journal's last sequence; 0 if nothing has happened. @throws DaybookClientError; the signal's reason */
export async function readHead(signal?: AbortSignal): Promise<number> {
  const { projections } = await read(HEAD, {}, { signal })
  return Math.max(0, ...projections.map(({ head }) => head))
}

/**
 * The events after a sequence up to another one, the oldest first.
 * @param upTo at most 1,000 after `after`
 * @throws DaybookClientError; the signal's reason
 */
export async function readEntries(
  after: number,
  upTo: number,
  signal?: AbortSignal,
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (let from = after; from < upTo; from = entries.at(-1)?.sequence ?? upTo) {
    const { journal } = await read(PAGE, { after: from, first: upTo - from }, { signal })
    // Long events come in shorter pages.
    if (journal.length === 0) break
    entries.push(...journal.map(toEntry))
  }
  return entries
}

const FIRST = queries.journal('recordedAt')

/** When the project's first event was recorded, RFC 3339; null before there is one. @throws DaybookClientError */
export const readFirstMoment = async (): Promise<string | null> =>
  (await read(FIRST, { after: 0, first: 1 })).journal[0]?.recordedAt ?? null
