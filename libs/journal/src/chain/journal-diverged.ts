import type { JournalCursor } from '@daybook/memory/events'

/**
 * Whoever asks has come to a place that the journal does not have: there is no event at that sequence, or another one. The
 * journal lost its end there and went on otherwise (a failover to a replica that was behind, a restored backup). Not to be
 * waited out: go back to the last place that both have.
 */
export class JournalDiverged extends Error {
  readonly place: JournalCursor

  constructor(place: JournalCursor) {
    super(`the journal has no event ${place.sequence} with the hash ${place.hash}`)
    this.name = 'JournalDiverged'
    this.place = place
  }
}
