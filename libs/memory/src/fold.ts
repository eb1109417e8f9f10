import type { JournalEvent } from './events.ts'
import type { Memory } from './state.ts'

/**
 * The state of every memory after `events`, by memory id. Each event carries the state after it, so the
 * newest event of a memory wins. The events may come in any order.
 */
export function fold(events: Iterable<JournalEvent>): Map<string, Memory> {
  const memories = new Map<string, Memory>()
  for (const event of events) {
    const known = memories.get(event.memoryId)
    if (known === undefined || known.version < event.version)
      memories.set(event.memoryId, {
        state: event.data.state,
        version: event.version,
        sequence: event.sequence,
      })
  }
  return memories
}
