import { useState } from 'preact/hooks'
import type { Counts } from '../api/counts.ts'
import { lazyPart } from '../components/lazy-part.tsx'
import { setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { filtersOn } from './filters.tsx'
import { FiltersPanel } from './filters-panel.tsx'
import { MethodChoice } from './method-choice.tsx'
import { NewestMemories } from './newest.tsx'
import { Results } from './results.tsx'
import { SearchField } from './search-field.tsx'
import { methodParams, readSettings } from './settings.ts'
import { TimeSlider } from './time-slider.tsx'

const FirstRun = lazyPart(() => import('../first-run/first-run.tsx'))

/** Search as you type, with filters, the past, and two settings side by side. */
export default function SearchPage({ session }: PageProps) {
  const settings = readSettings(useLocation().params)
  const [counts, setCounts] = useState<Counts | null>(null)
  const on = filtersOn(settings)
  const isEmpty = settings.query === '' && on === 0 && settings.asOf === null && counts?.memories === 0
  const compare = () =>
    setParams(
      settings.other === null
        ? { compare: '1', ...methodParams({ ...settings.method, mode: 'KEYWORD' }, 'b.') }
        : { compare: null, 'b.mode': null, 'b.engine': null, 'b.ranking': null },
    )
  return (
    <div class="page search-page">
      <h1 class="visually-hidden">Search</h1>
      <div class="search-head">
        <SearchField query={settings.query} />
        <div class="search-tools">
          {settings.other === null && (
            <MethodChoice
              name="How to search"
              method={settings.method}
              onChoose={(method) => setParams(methodParams(method, ''))}
            />
          )}
          <button type="button" aria-pressed={settings.other !== null} onClick={compare}>
            Compare
          </button>
        </div>
        <TimeSlider asOf={settings.asOf} />
      </div>
      <FiltersPanel settings={settings} counts={counts} />
      <div class="search-results">
        {isEmpty && <FirstRun session={session} />}
        {settings.query.trim() === '' ? (
          <NewestMemories settings={settings} onCounts={setCounts} />
        ) : (
          <Results settings={settings} onCounts={setCounts} />
        )}
      </div>
    </div>
  )
}
