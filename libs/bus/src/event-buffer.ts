import type { LinkedEvent } from '@daybook/memory/events'

/**
 * A project's events known before their turn: to be applied, having come over the bus, or to be published, having just
 * been committed. It only saves reading them from the journal again, so it may forget: it keeps a bounded number, and
 * what does not follow on is read from the journal.
 */
export interface EventBuffer {
  add(events: readonly LinkedEvent[]): void
  /** Events `after + 1`, `after + 2`, … as far as they are here without a gap, at most `limit`. Forgets older ones. */
  following(after: number, limit: number): LinkedEvent[]
  /** Whether any later event is here, with or without a gap before it. */
  hasAfter(sequence: number): boolean
}

export function createEventBuffer(capacity = 1_000): EventBuffer {
  const bySequence = new Map<number, LinkedEvent>()
  return {
    add(events) {
      for (const event of events) if (bySequence.size < capacity) bySequence.set(event.sequence, event)
    },
    following(after, limit) {
      for (const sequence of bySequence.keys()) if (sequence <= after) bySequence.delete(sequence)
      const events: LinkedEvent[] = []
      for (let next = bySequence.get(after + 1); next !== undefined && events.length < limit; ) {
        events.push(next)
        next = bySequence.get(next.sequence + 1)
      }
      return events
    },
    hasAfter(sequence) {
      for (const known of bySequence.keys()) if (known > sequence) return true
      return false
    },
  }
}
