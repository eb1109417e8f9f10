import { useMemo, useState } from 'preact/hooks'
import { ErrorNotice } from '../components/error-notice.tsx'
import { lazyPart } from '../components/lazy-part.tsx'
import { VirtualList } from '../components/virtual-list.tsx'
import { useLocation } from '../router/location.ts'
import { FILTER_FIELDS, matches, readFilter } from './entry-filter.ts'
import { EntryLine } from './entry-line.tsx'
import { JournalFilters } from './journal-filters.tsx'
import { hasOlder, MOST_KEPT } from './journal-tail.ts'
import { TailStatus } from './tail-status.tsx'
import { useTail } from './use-tail.ts'

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
