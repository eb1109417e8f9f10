import { useState } from 'preact/hooks'
import type { HistoryEvent } from '../api/memory-history.ts'
import { Ago } from '../components/ago.tsx'
import { eventWord } from '../components/event-word.ts'
import { fieldName } from '../components/field-text.ts'
import { VersionChanges } from '../components/version-changes.tsx'

/** What stands in the place of an event's content. */
const WITHOUT: Readonly<Record<string, string>> = {
  ERASED: 'Its content was erased for good.',
  OPAQUE: 'This Daybook cannot read it: it is damaged, or of a newer version.',
  QUARANTINED: 'Withheld: its writer is in quarantine.',
}

/** One version in the timeline: what happened, who did it, and on demand what changed. */
export function VersionEntry({
  id,
  event: { version, type, recordedAt, actor, writer, changed, status, sequence },
  opened,
  onRestore,
}: {
  readonly id: string
  readonly event: HistoryEvent
  readonly opened: boolean
  /** Null where one cannot go back to it. */
  readonly onRestore: (() => void) | null
}) {
  const [open, setOpen] = useState(opened)
  // That it was forgotten, and came back, the event says itself.
  const told = changed.filter((field) => field !== 'forgottenAt')
  const comparable = version > 1 && told.length > 0 && status === 'READABLE'
  const who = writer?.agent ?? writer?.client ?? null
  return (
    <li class={`version ${eventWord(type)}`}>
      <div class="version-head">
        <h3>
          {eventWord(type)} <span class="muted">version {version.toLocaleString()}</span>
        </h3>
        <span class="small muted">
          <Ago moment={recordedAt} />
          {actor !== null && <> by {actor}</>}
          {who !== null && <> ({who})</>}, event {sequence.toLocaleString()}
        </span>
        <span class="buttons">
          {comparable && (
            <button type="button" class="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide changes' : `Changes: ${told.map(fieldName).join(', ')}`}
            </button>
          )}
          {onRestore !== null && (
            <button type="button" class="quiet small" onClick={onRestore}>
              Restore version {version.toLocaleString()}
            </button>
          )}
        </span>
      </div>
      {status !== 'READABLE' && <p class="small muted">{WITHOUT[status] ?? status}</p>}
      {comparable && open && <VersionChanges id={id} version={version} />}
    </li>
  )
}
