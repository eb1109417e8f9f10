import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { isWithheld, isWithheldWriter, type Withheld } from '@daybook/pgvector/read/withheld'

/** An event as clients get it. */
export type ShownRecord = JournalRecord & {
  /**
   * Whether its content is withheld, because its writer or an author of the state after it is in quarantine. Its place
   * and hash are shown, so that whoever follows the journal misses no event.
   */
  readonly withheld?: boolean
}

/** Says of an event whether its content is withheld. */
export function showRecord(withheld: Withheld, record: JournalRecord): ShownRecord {
  if (record.event === null) return record
  const { writer, state } = record.event.data
  const hidden = (writer !== undefined && isWithheldWriter(withheld, writer)) || isWithheld(withheld, state)
  return hidden ? { ...record, withheld: true } : record
}
