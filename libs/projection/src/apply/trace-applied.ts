import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { recordSpan } from '@daybook/runtime/trace-context'

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
