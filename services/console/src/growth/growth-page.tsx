import { useState } from 'preact/hooks'
import { readGrowth } from '../api/growth.ts'
import { useRefreshes } from '../api/refresh.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useLatest } from '../components/use-latest.ts'
import { useLocation } from '../router/location.ts'
import { filtersOn } from '../search/filters.tsx'
import { FiltersPanel } from '../search/filters-panel.tsx'
import { filterOf, readSettings } from '../search/settings.ts'
import { Plots } from './plots.tsx'

/** How the memories came to be, over time. */
export default function GrowthPage() {
  const settings = readSettings(useLocation().params)
  const [again, setAgain] = useState(0)
  const refreshes = useRefreshes()
  const request = {
    filter: filterOf(settings),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const { answer, error, waiting } = useLatest(
    JSON.stringify(request),
    (signal) => readGrowth(request, signal),
    again + refreshes,
  )
  const on = filtersOn(settings)
  const growth = answer?.growth
  const events = growth?.events.reduce((sum, one) => sum + one, 0) ?? 0
  return (
    <div class="page growth-page">
      <h1>Growth</h1>
      <FiltersPanel settings={settings} counts={answer?.counts ?? null} />
      <div class="growth-parts" aria-busy={waiting}>
        {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
        {growth === undefined && error === null && <p class="loading">Loading …</p>}
        {growth !== undefined && (
          <p class="small muted" role="status">
            {growth.memories.toLocaleString()} {growth.memories === 1 ? 'memory' : 'memories'} and{' '}
            {events.toLocaleString()} {events === 1 ? 'event' : 'events'}, in the days of {request.timeZone}
          </p>
        )}
        {growth?.starts.length === 0 && (
          <p class="notice">{on > 0 ? 'No memory matches these filters.' : 'Nothing is remembered yet.'}</p>
        )}
        {growth !== undefined && growth.starts.length > 0 && <Plots growth={growth} />}
      </div>
    </div>
  )
}
