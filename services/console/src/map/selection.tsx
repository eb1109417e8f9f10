import type { MapPoints } from '@daybook/client/map-points'
import { useEffect, useState } from 'preact/hooks'
import { readEntries } from '../api/memory-map.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { memoryAddress } from '../components/memory-address.ts'
import { moveInList } from '../components/move-in-list.ts'
import { NotShared } from '../components/not-shared.tsx'
import { useLatest } from '../components/use-latest.ts'

/** Memories that are listed at first, and more with each press. */
const PAGE = 50

/** The memories that are selected on the map, as a list: the same for who does not see the map. */
export function Selection({
  points,
  selected,
  onClear,
}: {
  readonly points: MapPoints
  readonly selected: readonly number[]
  onClear(): void
}) {
  const [pages, setPages] = useState(1)
  const [again, setAgain] = useState(0)
  useEffect(() => setPages(1), [selected])
  // The newest first: the points are in the order in which they came.
  const ids = selected
    .toReversed()
    .slice(0, pages * PAGE)
    .map((at) => points.ids[at] as string)
  const { answer, error } = useLatest(
    ids.length === 0 ? null : ids.join(' '),
    async (signal) => {
      const parts = Array.from({ length: pages }, (_, page) => ids.slice(page * PAGE, (page + 1) * PAGE))
      return (
        await Promise.all(parts.filter((part) => part.length > 0).map((part) => readEntries(part, signal)))
      ).flat()
    },
    again,
  )
  if (selected.length === 0)
    return (
      <p class="small muted map-hint">
        Drag a rectangle with “Select” or with Shift held, to list what is in it. A click on a point opens its
        memory.
      </p>
    )
  return (
    <section class="map-selection" aria-label="Selection">
      <div class="map-selection-head">
        <h2 role="status">
          {selected.length.toLocaleString()} {selected.length === 1 ? 'memory' : 'memories'} selected
        </h2>
        <button type="button" onClick={onClear}>
          Clear
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
      {answer === null && error === null && <p class="loading">Loading …</p>}
      <ol class="hits" aria-label="Selected memories" onKeyDown={moveInList}>
        {answer?.map((entry) => (
          <li key={entry.id} class="hit">
            <a class="map-entry" data-title href={memoryAddress(entry.id)}>
              {entry.title}
            </a>
            <span class="small muted">
              <span class="tag">{entry.kind.toLowerCase()}</span> <Ago moment={entry.createdAt} />
              {entry.context !== null && ` in ${entry.context}`}
              {entry.agent !== null && ` by ${entry.agent}`} {!entry.shared && <NotShared />}
            </span>
          </li>
        ))}
      </ol>
      {ids.length < selected.length && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Show {Math.min(PAGE, selected.length - ids.length)} more
        </button>
      )}
    </section>
  )
}
