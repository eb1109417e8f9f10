import type { JournalCursor } from '@daybook/memory/events'

/**
 * The caller is at a place that the journal does not have: no event has that sequence, or another event has
 * it now. The journal lost its end and continued with other events (a failover to a replica that was behind,
 * a restored backup). Waiting does not help: go back to the last place that both have.
 */
export class JournalDiverged extends Error {
  readonly place: JournalCursor

  constructor(place: JournalCursor) {
    super(`the journal has no event ${place.sequence} with the hash ${place.hash}`)
    this.name = 'JournalDiverged'
    this.place = place
  }
}
