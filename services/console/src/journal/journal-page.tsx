import { useEffect, useMemo, useState } from 'preact/hooks'
import type { JournalEntry } from '../api/journal.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { eventWord } from '../components/format.ts'
import { useVisible } from '../components/hooks.ts'
import { lazyPart } from '../components/lazy-part.tsx'
import { VirtualList } from '../components/virtual-list.tsx'
import { setParams, useLocation } from '../router/location.ts'
import {
  type EntryFilter,
  FILTER_FIELDS,
  type FilterField,
  matches,
  readFilter,
  valuesOf,
} from './entry-filter.ts'
import {
  createTail,
  hasOlder,
  type JournalTail,
  MOST_KEPT,
  notShown,
  type TailState,
} from './journal-tail.ts'

// It needs the definitions of all kinds, which the list does not.
const EventDetail = lazyPart(() => import('./event-detail.tsx'))

/** As in `journal.css`: two lines of text. */
const ROW_REM = 3.5

/** The journal, live and newest first. */
export default function JournalPage() {
  const { tail, state, again } = useTail()
  const filter = readFilter(useLocation().params)
  const [chosen, setChosen] = useState<number | null>(null)
  const { entries, revision, failure } = state
  const filterKey = JSON.stringify(filter)
  // The list is changed in place, so its revision says when.
  const shown = useMemo(
    () => entries.filter((entry) => matches(filter, entry)).toReversed(),
    [entries, revision, filterKey],
  )
  const isFiltered = FILTER_FIELDS.some((field) => filter[field] !== undefined)
  // Beyond that the newest would leave the list, which nobody asked for.
  const mayGrow = entries.length < MOST_KEPT
  const atStart = !hasOlder(state)
  const waits = state.connection !== 'live' && entries.length === 0 && failure === null
  return (
    <div class="page journal-page">
      <div class="journal-head">
        <h1>Journal</h1>
        <TailStatus tail={tail} state={state} />
      </div>
      <JournalFilters filter={filter} entries={entries} revision={revision} />
      {failure !== null && <ErrorNotice error={failure} onRetry={again} />}
      {state.replaced && (
        <p class="notice" role="status">
          The end of the journal was replaced, and is shown as it is now. In a project that follows another
          Daybook that is usual: what was written offline gets its place when the home has it. Anywhere else
          the database has lost its last moments: see the checks under “Operations”.
        </p>
      )}
      <div class={`journal-columns${chosen === null ? '' : ' with-detail'}`}>
        <div class="journal-list">
          {waits && <p class="loading">Loading …</p>}
          {!waits && shown.length === 0 && failure === null && (
            <p class="notice">
              {isFiltered && entries.length > 0
                ? 'None of the events here matches the filters.'
                : 'Nothing has happened in this project yet. What agents remember appears here at once.'}
            </p>
          )}
          {!waits && (
            <VirtualList
              label="Events, the newest first"
              count={shown.length}
              rowRem={ROW_REM}
              keyOf={(index) => shown[index]?.sequence ?? -1}
              chosen={chosen}
              onChoose={(sequence) => setChosen(sequence === chosen ? null : Number(sequence))}
              onNearEnd={() => {
                if ((mayGrow || state.mode === 'back') && !atStart && failure === null) void tail.loadOlder()
              }}
            >
              {(index) => {
                const entry = shown[index]
                return entry === undefined ? null : <EntryLine entry={entry} />
              }}
            </VirtualList>
          )}
          <div class="journal-foot small muted">
            {state.loadingOlder ? (
              'Loading older events …'
            ) : atStart ? (
              entries.length > 0 && 'This is where the journal begins.'
            ) : mayGrow ? (
              'Scroll on for older events.'
            ) : (
              <>
                {`The page keeps ${MOST_KEPT.toLocaleString()} events.`}
                <button type="button" class="quiet" onClick={() => void tail.loadOlder()}>
                  Show older ones instead of the newest
                </button>
              </>
            )}
          </div>
        </div>
        {chosen !== null && <EventDetail key={chosen} sequence={chosen} onClose={() => setChosen(null)} />}
      </div>
    </div>
  )
}

const ALL: Readonly<Record<FilterField, string>> = {
  type: 'Every event',
  kind: 'Every kind',
  agent: 'Every agent',
  context: 'Every context',
  actor: 'Every key',
}

const NAMES: Readonly<Record<FilterField, string>> = {
  type: 'Event',
  kind: 'Kind',
  agent: 'Agent',
  context: 'Context',
  actor: 'Key',
}

/** Filters by the values that the events of the list have. What is chosen stays, also where nothing has it any more. */
function JournalFilters({
  filter,
  entries,
  revision,
}: {
  readonly filter: EntryFilter
  readonly entries: readonly JournalEntry[]
  /** Of the list, which is changed in place. */
  readonly revision: number
}) {
  const values = useMemo(() => valuesOf(entries), [entries, revision])
  const isOn = FILTER_FIELDS.some((field) => filter[field] !== undefined)
  return (
    <div class="journal-filters" role="group" aria-label="Filters">
      {FILTER_FIELDS.map((field) => {
        const chosen = filter[field]
        const offered = values[field]
        const all = chosen === undefined || offered.includes(chosen) ? offered : [chosen, ...offered]
        return (
          <label key={field}>
            <span class="visually-hidden">{NAMES[field]}</span>
            <select
              value={chosen ?? ''}
              disabled={all.length === 0}
              onChange={(event) => setParams({ [field]: event.currentTarget.value || null })}
            >
              <option value="">{ALL[field]}</option>
              {all.map((value) => (
                <option key={value} value={value}>
                  {shownValue(field, value)}
                </option>
              ))}
            </select>
          </label>
        )
      })}
      {isOn && (
        <button
          type="button"
          class="quiet"
          onClick={() => setParams(Object.fromEntries(FILTER_FIELDS.map((field) => [field, null])))}
        >
          Clear all filters
        </button>
      )}
    </div>
  )
}

function shownValue(field: FilterField, value: string): string {
  if (field === 'type') return eventWord(value)
  return field === 'kind' ? value.toLowerCase() : value
}

const today = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const other = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** What stands in the place of a title. */
const WITHOUT: Readonly<Record<string, string>> = {
  ERASED: 'erased for good',
  OPAQUE: 'cannot be read here',
  QUARANTINED: 'withheld: its writer is in quarantine',
}

/** An event in two lines. */
function EntryLine({
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

/** Whether the journal is live, what is not shown, and the button that pauses and resumes. */
function TailStatus({ tail, state }: { readonly tail: JournalTail; readonly state: TailState }) {
  const { entries, head, mode, connection } = state
  const [oldest, newest] = [entries[0]?.sequence, entries.at(-1)?.sequence]
  const missing = notShown(state)
  return (
    <div class="tail-status">
      <span class={`tail-state ${connection === 'live' ? mode : connection}`} role="status">
        {WORDS[connection === 'live' ? mode : connection]}
      </span>
      {oldest !== undefined && newest !== undefined && (
        <span class="small muted">
          events {oldest.toLocaleString()} to {newest.toLocaleString()} of {head.toLocaleString()}
        </span>
      )}
      {mode === 'live' ? (
        <button type="button" onClick={() => tail.pause()}>
          Pause
        </button>
      ) : (
        <button type="button" class="primary" onClick={() => tail.resume()}>
          {mode === 'paused' ? 'Resume' : 'Back to the newest'}
          {missing > 0 && ` (${missing.toLocaleString()} new)`}
        </button>
      )}
    </div>
  )
}

const WORDS = {
  live: 'Live',
  paused: 'Paused',
  back: 'Older events',
  connecting: 'Connecting …',
  lost: 'Connection lost, trying again. Nothing will be missed.',
} as const

/** The journal, followed while the tab is visible; the component renders again when it changes. */
function useTail(): { readonly tail: JournalTail; readonly state: TailState; again(): void } {
  const [, setRevision] = useState(0)
  const [tries, setTries] = useState(0)
  const [tail] = useState(() => createTail(() => setRevision((revision) => revision + 1)))
  const visible = useVisible()
  useEffect(() => {
    if (!visible) return
    const ended = new AbortController()
    void tail.run(ended.signal)
    return () => ended.abort()
  }, [tail, visible, tries])
  return { tail, state: tail.state(), again: () => setTries(tries + 1) }
}
