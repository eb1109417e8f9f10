import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import { isDatabaseUnavailable, isRelationMissing } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { reasonOf } from '@daybook/runtime/reason-of'
import { recordSpan } from '@daybook/runtime/trace-context'
import { type ParkedEvent, PositionMoved, type Projection } from '../projection.ts'
import { memoriesWithParkedEvents } from './parked-events.ts'

/** Tries before an event is parked. With the delays between them (50, 100, 200, 400 ms) about 0.6 s. */
export const ATTEMPTS = 5

/** Hears, for the log, what failed and is about to be retried. */
type OnRetry = (problem: { sequence: number; attempt: number; error: unknown }) => void

/**
 * Applies consecutive records after `from`. A record that cannot be read or applied is parked. Later records
 * of the same memory are parked with it, so that a newer event does not overtake one that may still be
 * retried. All other records are applied. An erased record removes its memory and the memory's parked events.
 *
 * @param nothingParked the caller expects that no event of the project is parked; the transaction checks it.
 * Default no
 * @returns whether a memory of these records has a parked event now
 * @throws PositionMoved, JournalDiverged, and errors that say that the database or the read model is
 *   unavailable or lacks its tables: nothing is parked for those.
 */
export async function applyWithParking(
  scope: ProjectScope,
  projection: Projection,
  from: JournalCursor,
  records: readonly JournalRecord[],
  onRetry: OnRetry,
  nothingParked = false,
): Promise<boolean> {
  const memoryIds = [...new Set(records.map((record) => record.memoryId))]
  const held = nothingParked
    ? new Set<string>()
    : await memoriesWithParkedEvents(scope, projection, memoryIds)
  const apply = async (start: JournalCursor, part: readonly JournalRecord[]): Promise<void> => {
    const last = part.at(-1)
    if (last === undefined) return
    const { events, parked, erased } = sort(part, held)
    try {
      const ifNothingParked = nothingParked && held.size === 0
      await projection.apply(scope, {
        from: start,
        to: journalPlace(last),
        events,
        parked,
        erased,
        ifNothingParked,
      })
      for (const memoryId of erased) held.delete(memoryId)
      for (const one of parked) held.add(one.memoryId)
    } catch (error) {
      if (isNotTheEvents(error) || events.length === 0) throw error
      if (part.length === 1) {
        if (await retryThenPark(scope, projection, start, last, error, onRetry)) held.add(last.memoryId)
        return
      }
      // Halving finds the one bad event of a batch of 100 in 14 transactions. One by one would take 100.
      const middle = Math.floor(part.length / 2)
      await apply(start, part.slice(0, middle))
      await apply(part[middle - 1] ?? start, part.slice(middle))
    }
  }
  await apply(from, records)
  return held.size > 0
}

function sort(records: readonly JournalRecord[], held: ReadonlySet<string>) {
  const blocked = new Set(held)
  const events: JournalEvent[] = []
  const parked: ParkedEvent[] = []
  /** The sequence of each memory's last erasure. */
  const erasedAt = new Map<string, number>()
  for (const record of records) {
    if (record.status === 'erased') {
      blocked.delete(record.memoryId)
      erasedAt.set(record.memoryId, record.sequence)
    } else if (blocked.has(record.memoryId)) {
      parked.push({ ...placeOf(record), error: 'an earlier event of this memory is parked', attempts: 0 })
    } else if (record.status === 'opaque') {
      blocked.add(record.memoryId)
      parked.push({ ...placeOf(record), error: record.error.message, attempts: 1, unreadable: true })
    } else events.push(record.event)
  }
  const isLeft = ({ memoryId, sequence }: { memoryId: string; sequence: number }) =>
    sequence > (erasedAt.get(memoryId) ?? 0)
  return { events: events.filter(isLeft), parked: parked.filter(isLeft), erased: [...erasedAt.keys()] }
}

const journalPlace = ({ sequence, hash }: JournalCursor): JournalCursor => ({ sequence, hash })

const placeOf = ({ sequence, memoryId }: JournalRecord) => ({ sequence, memoryId })

const isNotTheEvents = (error: unknown) =>
  error instanceof PositionMoved ||
  error instanceof JournalDiverged ||
  error instanceof UnavailableError ||
  isRelationMissing(error) ||
  isDatabaseUnavailable(error)

/** Retries a record, and parks it if every attempt fails. @returns whether it was parked */
async function retryThenPark(
  scope: ProjectScope,
  projection: Projection,
  from: JournalCursor,
  record: JournalRecord,
  firstError: unknown,
  onRetry: OnRetry,
): Promise<boolean> {
  let error = firstError
  const to = journalPlace(record)
  for (let attempt = 1; attempt < ATTEMPTS && record.status === 'readable'; attempt += 1) {
    onRetry({ sequence: record.sequence, attempt, error })
    await pause(backoffDelay(attempt - 1))
    try {
      await projection.apply(scope, { from, to, events: [record.event], parked: [], erased: [] })
      return false
    } catch (again) {
      if (isNotTheEvents(again)) throw again
      error = again
    }
  }
  const parked = [{ ...placeOf(record), error: reasonOf(error), attempts: ATTEMPTS }]
  await projection.apply(scope, { from, to, events: [], parked, erased: [] })
  return true
}

/**
 * Continues the traces of events that have just been written. Each event gets its own span, because events of
 * a batch may belong to different traces. Every span lasts as long as the batch: from `startedAt`
 * (milliseconds since 1970) until now.
 */
export function traceApplied(projection: string, records: readonly JournalRecord[], startedAt: number): void {
  for (const { event } of records) {
    if (event?.traceparent == null) continue
    recordSpan(`projection ${projection} apply`, startedAt, {
      kind: 'consumer',
      traceparent: event.traceparent,
      attributes: {
        'daybook.event_id': event.eventId,
        'daybook.sequence': event.sequence,
        'daybook.batch_events': records.length,
      },
    })
  }
}
