import type { JournalEvent } from '@daybook/memory/events'

/** Several events of one memory in a batch come to one row or document: the newest carries the whole state. */
export const newestOfEach = (events: readonly JournalEvent[]): JournalEvent[] => [
  ...new Map(events.map((event) => [event.memoryId, event])).values(),
]
