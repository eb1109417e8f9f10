import type { JournalCursor, LinkedEvent } from '@daybook/memory/events'

/**
 * A project's events that are known before they are needed: ones from the bus to be applied, or just
 * committed ones to be published. It only saves reading them from the journal again, so it may forget events.
 * It keeps a bounded number; where one is missing, the journal is read.
 */
export interface EventBuffer {
  add(events: readonly LinkedEvent[]): void
  /**
   * Events that follow `after` without a gap, each linked to the one before, at most `limit`. Forgets older
   * ones, and one of another history, which nobody can use.
   */
  following(after: JournalCursor, limit: number): LinkedEvent[]
  /** Whether any later event is here, with or without a gap before it. */
  hasAfter(sequence: number): boolean
}

/** An empty buffer. @param capacity most events that it keeps */
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
