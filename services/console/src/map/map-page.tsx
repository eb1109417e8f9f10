import { useMemo, useState } from 'preact/hooks'
import type { MadeMap, MemoryMap } from '../api/memory-map.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { memoryAddress } from '../components/memory-address.ts'
import { navigate, setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { COLOUR_BY, groupPoints } from './groups.ts'
import { Legend } from './legend.tsx'
import { Making } from './making.tsx'
import { type DragMode, MapCanvas } from './map-canvas.tsx'
import { Selection } from './selection.tsx'
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
        Make it anew
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
