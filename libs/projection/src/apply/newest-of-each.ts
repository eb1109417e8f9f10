import type { JournalEvent } from '@daybook/memory/events'

/**
 * The newest event of each memory in a batch. One row or document is written for it, as it carries the whole
 * state.
 */
export const newestOfEach = (events: readonly JournalEvent[]): JournalEvent[] => [
  ...new Map(events.map((event) => [event.memoryId, event])).values(),
]
