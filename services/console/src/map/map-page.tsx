import type { MapPoints } from '@daybook/client/map-points'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type MadeMap, type MemoryMap, readEntries } from '../api/memory-map.ts'
import { Ago } from '../components/ago.tsx'
import { NotShared } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { memoryAddress, moveInList } from '../components/format.ts'
import { useLatest } from '../components/hooks.ts'
import { navigate, setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { COLOUR_BY, type ColourBy, type Grouping, groupPoints } from './groups.ts'
import { type DragMode, MapCanvas } from './map-canvas.tsx'
import { findRegions, type NamedRegion, nameRegions } from './regions.ts'
import { useMemoryMap } from './use-memory-map.ts'

/** The memories as points by meaning. */
export default function MapPage({ session }: PageProps) {
  const { map, making, error, make, cancel, reload } = useMemoryMap()
  const canMake = session.scopes.includes('write')
  return (
    <div class="page map-page">
      <h1>Map</h1>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {map === null && error === null && <p class="loading">Loading …</p>}
      {making !== null && <Making operation={making} onCancel={cancel} />}
      {map !== null && map.made === null && making === null && (
        <NoMap map={map} canMake={canMake} onMake={make} />
      )}
      {map !== null && map.made !== null && (
        <>
          <Standing map={map} made={map.made} canMake={canMake && making === null} onMake={make} />
          <ShownMap key={map.made.madeAt} made={map.made} />
        </>
      )}
    </div>
  )
}

function NoMap({
  map,
  canMake,
  onMake,
}: {
  readonly map: MemoryMap
  readonly canMake: boolean
  onMake(): void
}) {
  if (map.problem !== null) return <p class="notice">{map.problem}</p>
  return (
    <div class="notice map-none">
      <h2>There is no map yet</h2>
      <p>
        A map places each of the {map.memories.toLocaleString()} memories by what it means: those that stand
        together are about similar things. Making it takes from a second to a minute, and changes no memory.
      </p>
      <button type="button" class="primary" disabled={!canMake} onClick={onMake}>
        Make the map
      </button>
      {!canMake && <p class="small muted">This key may only read: making a map needs the scope WRITE.</p>}
    </div>
  )
}

/** What the map shows, of when, and what it lacks. */
function Standing({
  map: { memories, newer },
  made,
  canMake,
  onMake,
}: {
  readonly map: MemoryMap
  readonly made: MadeMap
  readonly canMake: boolean
  onMake(): void
}) {
  const others = memories - newer - made.count
  return (
    <div class="map-standing">
      <p class="small muted" role="status">
        {made.count.toLocaleString()} of {memories.toLocaleString()} memories, as of{' '}
        <Ago moment={made.madeAt} />.
        {newer > 0 &&
          ` ${newer.toLocaleString()} newer ${newer === 1 ? 'memory is' : 'memories are'} not on it.`}
        {others > 0 && ` ${others.toLocaleString()} have no vector yet, or are too old for a map.`}
      </p>
      <button type="button" disabled={!canMake} onClick={onMake}>
        Make it again
      </button>
    </div>
  )
}

const MODES: readonly (readonly [mode: DragMode, name: string])[] = [
  ['move', 'Move'],
  ['select', 'Select'],
]

function ShownMap({ made: { points } }: { readonly made: MadeMap }) {
  const { params } = useLocation()
  const by = COLOUR_BY.find((one) => one === params.get('colour')) ?? 'kind'
  const [mode, setMode] = useState<DragMode>('move')
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set())
  const [selected, setSelected] = useState<readonly number[]>([])
  const grouping = useMemo(() => groupPoints(points, by, Date.now() / 1_000), [points, by])
  const regions = useRegions(points)
  const toggle = (group: number) => {
    const next = new Set(hidden)
    if (!next.delete(group)) next.add(group)
    setHidden(next)
    setSelected(selected.filter((at) => !next.has(grouping.groupOf[at] as number)))
  }
  return (
    <div class="map-parts">
      <div class="map-main">
        <div class="map-tools">
          <div class="map-modes" role="group" aria-label="Dragging">
            {MODES.map(([one, name]) => (
              <button key={one} type="button" aria-pressed={mode === one} onClick={() => setMode(one)}>
                {name}
              </button>
            ))}
          </div>
          <Legend
            by={by}
            grouping={grouping}
            hidden={hidden}
            onChoose={(next) => {
              setHidden(new Set())
              setParams({ colour: next === 'kind' ? null : next }, { replace: true })
            }}
            onToggle={toggle}
          />
        </div>
        <MapCanvas
          points={points}
          grouping={grouping}
          hidden={hidden}
          regions={regions}
          selected={selected}
          mode={mode}
          onSelect={setSelected}
          onOpen={(point) => navigate(memoryAddress(points.ids[point] as string))}
        />
      </div>
      <Selection points={points} selected={selected} onClear={() => setSelected([])} />
    </div>
  )
}

/** So many titles say what a region is about, and so many are read at once. */
const [TITLES, AT_ONCE] = [40, 100]

/** The map's regions by their words, once some of their titles are read; without those a map is still a map. */
function useRegions(points: MapPoints): readonly NamedRegion[] {
  const { answer } = useLatest('regions', async (signal) => {
    const regions = findRegions(points)
    const ids = regions.map(({ members }) =>
      members
        .filter((_, at) => at % Math.ceil(members.length / TITLES) === 0)
        .map((at) => points.ids[at] as string),
    )
    const all = ids.flat()
    const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) =>
      readEntries(all.slice(part * AT_ONCE, (part + 1) * AT_ONCE), signal),
    )
    const titles = new Map((await Promise.all(parts)).flat().map(({ id, title }) => [id, title]))
    return nameRegions(
      regions,
      ids.map((some) => some.flatMap((id) => titles.get(id) ?? [])),
    )
  })
  return answer ?? NO_REGIONS
}

const NO_REGIONS: readonly NamedRegion[] = []

/** What the colours mean, with how many points have each. A press hides one, or shows it again. */
function Legend({
  by,
  grouping,
  hidden,
  onChoose,
  onToggle,
}: {
  readonly by: ColourBy
  readonly grouping: Grouping
  readonly hidden: ReadonlySet<number>
  onChoose(by: ColourBy): void
  onToggle(group: number): void
}) {
  return (
    <div class="map-legend" role="group" aria-label="Colours">
      <label>
        Colour by{' '}
        <select value={by} onChange={(event) => onChoose(event.currentTarget.value as ColourBy)}>
          {COLOUR_BY.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <div class="chips">
        {grouping.groups.map(
          ({ name, colour, count }, group) =>
            count > 0 && (
              <button
                key={name}
                type="button"
                class="map-group small"
                aria-pressed={!hidden.has(group)}
                title={hidden.has(group) ? 'Show them' : 'Hide them'}
                onClick={() => onToggle(group)}
              >
                <span class={`dot ${colour}`} />
                <span class="map-group-name">{name}</span> <span class="muted">{count.toLocaleString()}</span>
              </button>
            ),
        )}
      </div>
    </div>
  )
}

/** How far the making of a map is. */
function Making({
  operation,
  onCancel,
}: {
  readonly operation: NonNullable<MemoryMap['operation']>
  onCancel(): void
}) {
  const { phase, done, total, status } = operation
  const isCounted = total !== null && total > 0
  return (
    <div class="card map-making" role="status">
      <p>
        The map is being made: {status === 'QUEUED' ? 'waiting' : phase}
        {isCounted && `, ${done.toLocaleString()} of ${total.toLocaleString()} memories`}
      </p>
      <progress
        max={isCounted ? total : undefined}
        value={isCounted ? done : undefined}
        aria-label="Progress"
      />
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  )
}

/** Memories that are listed at first, and more with each press. */
const PAGE = 50

/** The memories that are selected on the map, as a list: the same for who does not see the map. */
function Selection({
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
