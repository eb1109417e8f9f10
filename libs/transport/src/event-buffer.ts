import type { JournalCursor, LinkedEvent } from '@daybook/memory/events'

/**
 * A project's events known before their turn: to be applied, having come over the bus, or to be published, having just
 * been committed. It only saves reading them from the journal again, so it may forget: it keeps a bounded number, and
 * what does not follow on is read from the journal.
 */
export interface EventBuffer {
  add(events: readonly LinkedEvent[]): void
  /**
   * Events that follow on `after`, each linked to the one before, as far as they are here without a gap, at most `limit`.
   * Forgets older ones, and one that is of another history: it is no use to anybody at that place.
   */
  following(after: JournalCursor, limit: number): LinkedEvent[]
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
      for (const sequence of bySequence.keys()) if (sequence <= after.sequence) bySequence.delete(sequence)
      const events: LinkedEvent[] = []
      for (let place = after; events.length < limit; ) {
        const next = bySequence.get(place.sequence + 1)
        if (next === undefined) break
        if (next.previousHash !== place.hash) {
          bySequence.delete(next.sequence)
          break
        }
        events.push(next)
        place = next
      }
      return events
    },
    hasAfter(sequence) {
      for (const known of bySequence.keys()) if (known > sequence) return true
      return false
    },
  }
}
