import type { JournalEntry } from '../api/journal.ts'
import { eventWord } from '../components/event-word.ts'

const today = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const other = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** What stands in the place of a title. */
const WITHOUT: Readonly<Record<string, string>> = {
  ERASED: 'erased for good',
  OPAQUE: 'cannot be read here',
  QUARANTINED: 'withheld: its writer is in quarantine',
}

/** An event in two lines. */
export function EntryLine({
  entry: { sequence, type, status, title, kind, context, agent, actor, recordedAt, version },
}: {
  readonly entry: JournalEntry
}) {
  const at = new Date(recordedAt)
  const isToday = at.toDateString() === new Date().toDateString()
  return (
    <>
      <div class="entry-first">
        <span class={`event-word ${eventWord(type)}`}>{eventWord(type)}</span>
        {title === null ? (
          <span class="entry-title muted">{WITHOUT[status] ?? 'without content'}</span>
        ) : (
          <span class="entry-title">{title}</span>
        )}
      </div>
      <div class="entry-second small muted">
        <span class="entry-sequence">{sequence.toLocaleString()}</span>
        <time dateTime={recordedAt}>{(isToday ? today : other).format(at)}</time>
        {kind !== null && <span>{kind.toLowerCase()}</span>}
        {version > 1 && <span>version {version.toLocaleString()}</span>}
        {context !== null && <span>in {context}</span>}
        {agent !== null && <span>by {agent}</span>}
        {actor !== null && <span>key {actor}</span>}
      </div>
    </>
  )
}
