import { useMemo } from 'preact/hooks'
import type { JournalEntry } from '../api/journal.ts'
import { eventWord } from '../components/event-word.ts'
import { setParams } from '../router/location.ts'
import { type EntryFilter, FILTER_FIELDS, type FilterField, valuesOf } from './entry-filter.ts'

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
export function JournalFilters({
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
                  {shown(field, value)}
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

function shown(field: FilterField, value: string): string {
  if (field === 'type') return eventWord(value)
  return field === 'kind' ? value.toLowerCase() : value
}
