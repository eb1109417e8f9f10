import type { Counts } from '../api/counts.ts'
import { clearFilters, Filters, filtersOn } from './filters.tsx'
import type { SearchSettings } from './settings.ts'

/** Where filters stand beside what they filter, and not above it, folded. As in `search.css`. */
const isWide = () => matchMedia('(min-width: 60rem)').matches

/** The filters in a part that folds, with how many are on, and a way to take all off. */
export function FiltersPanel({
  settings,
  counts,
}: {
  readonly settings: SearchSettings
  readonly counts: Counts | null
}) {
  const on = filtersOn(settings)
  return (
    <details class="filters" open={isWide()}>
      <summary>Filters{on > 0 && ` (${on})`}</summary>
      {on > 0 && (
        <button type="button" class="quiet" onClick={clearFilters}>
          Clear all filters
        </button>
      )}
      <Filters settings={settings} counts={counts} />
    </details>
  )
}
