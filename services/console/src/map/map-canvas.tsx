import type { MapPoints } from '@daybook/client/map-points'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type MapEntry, readEntries } from '../api/memory-map.ts'
import { Ago } from '../components/ago.tsx'
import { colourOf } from '../components/format.ts'
import { useThemeChanges } from '../components/hooks.ts'
import { drawPoints } from './draw-points.ts'
import type { Grouping } from './groups.ts'
import type { NamedRegion } from './regions.ts'
import { boxOf, nearestPoint, pointsIn, type View, wholeView, zoomed } from './view.ts'

/** What dragging does. */
export type DragMode = 'move' | 'select'

/** How near the pointer must be to a point, in pixels. */
const REACH = 10

/** A shorter drag is a click, in pixels. */
const CLICK = 4

/** One press of a key. */
const STEP = 40

const ZOOM = 1.4

interface Position {
  readonly x: number
  readonly y: number
}

/** The map itself: it is moved, made larger, pointed at, and parts of it are selected. */
export function MapCanvas({
  points,
  grouping,
  hidden,
  regions,
  selected,
  mode,
  onSelect,
  onOpen,
}: {
  readonly points: MapPoints
  readonly grouping: Grouping
  /** Groups that are not shown. */
  readonly hidden: ReadonlySet<number>
  readonly regions: readonly NamedRegion[]
  readonly selected: readonly number[]
  readonly mode: DragMode
  onSelect(points: readonly number[]): void
  onOpen(point: number): void
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [chosen, setView] = useState<View | null>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const [drag, setDrag] = useState<{
    readonly from: Position
    readonly to: Position
    readonly mode: DragMode
  } | null>(null)
  const themes = useThemeChanges()
  const whole = useMemo(() => wholeView(size.width, size.height), [size])
  const view = chosen ?? whole
  const isShown = useCallback((at: number) => !hidden.has(grouping.groupOf[at] as number), [hidden, grouping])

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const watch = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight })
      setView(null)
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  const colours = useMemo(
    () => grouping.groups.map(({ colour }, group) => (hidden.has(group) ? null : colourOf(colour))),
    [grouping, hidden, themes],
  )
  const marks = useMemo(() => ({ accent: colourOf('map-accent'), text: colourOf('map-text') }), [themes])
  const ofGroups = useMemo(
    () => grouping.groups.map((_, group) => membersOf(grouping.groupOf, group)),
    [grouping],
  )
  const chosenPoints = useMemo(() => new Set(selected), [selected])

  useEffect(() => {
    const element = canvas.current
    const to = element?.getContext('2d')
    if (element === null || to == null || size.width === 0) return
    // Changes of one frame are drawn once.
    const frame = requestAnimationFrame(() => {
      const density = devicePixelRatio
      const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)]
      if (element.width !== width || element.height !== height) {
        element.width = width
        element.height = height
      }
      drawPoints(to, {
        ...size,
        ...marks,
        points,
        view,
        density,
        colours,
        ofGroups,
        groupOf: grouping.groupOf,
        selected: chosenPoints,
        hovered,
        brush: drag?.mode === 'select' ? boxOf(drag.from, drag.to) : null,
      })
    })
    return () => cancelAnimationFrame(frame)
  }, [points, view, size, colours, marks, ofGroups, grouping, chosenPoints, hovered, drag])

  useEffect(() => {
    const element = canvas.current
    // Not as a property, because a wheel's listener must say that it stops the page from scrolling.
    const zoom = (event: WheelEvent) => {
      event.preventDefault()
      const at = placeOf(event, element as HTMLCanvasElement)
      setView((before) => zoomed(before ?? whole, Math.exp(-event.deltaY / 300), at, whole))
    }
    element?.addEventListener('wheel', zoom, { passive: false })
    return () => element?.removeEventListener('wheel', zoom)
  }, [whole])

  const press = (event: PointerEvent & { readonly currentTarget: HTMLCanvasElement }) => {
    const from = placeOf(event, event.currentTarget)
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag({ from, to: from, mode: event.shiftKey ? 'select' : mode })
  }
  const move = (event: PointerEvent & { readonly currentTarget: HTMLCanvasElement }) => {
    const to = placeOf(event, event.currentTarget)
    if (drag === null) return setHovered(nearestPoint(points, view, to, REACH, isShown))
    if (drag.mode === 'move') setView({ ...view, x: view.x + to.x - drag.to.x, y: view.y + to.y - drag.to.y })
    setHovered(null)
    setDrag({ ...drag, to })
  }
  const release = (event: PointerEvent & { readonly currentTarget: HTMLCanvasElement }) => {
    if (drag === null) return
    const to = placeOf(event, event.currentTarget)
    setDrag(null)
    if (Math.hypot(to.x - drag.from.x, to.y - drag.from.y) < CLICK) {
      const point = nearestPoint(points, view, to, REACH, isShown)
      if (point !== null) onOpen(point)
    } else if (drag.mode === 'select') onSelect(pointsIn(points, view, boxOf(drag.from, to), isShown))
  }
  const inView = () =>
    onSelect(pointsIn(points, view, { left: 0, top: 0, right: size.width, bottom: size.height }, isShown))
  const type = (event: KeyboardEvent) => {
    const middle = { x: size.width / 2, y: size.height / 2 }
    const moved = MOVES[event.key]
    if (moved !== undefined) setView({ ...view, x: view.x - moved.x * STEP, y: view.y - moved.y * STEP })
    else if (event.key === '+' || event.key === '=') setView(zoomed(view, ZOOM, middle, whole))
    else if (event.key === '-') setView(zoomed(view, 1 / ZOOM, middle, whole))
    else if (event.key === '0') setView(null)
    else if (event.key === 'Enter') inView()
    else if (event.key === 'Escape') onSelect([])
    else return
    event.preventDefault()
  }
  const nearer = (factor: number) =>
    setView(zoomed(view, factor, { x: size.width / 2, y: size.height / 2 }, whole))

  return (
    <div class="map-frame">
      <canvas
        ref={canvas}
        class={`map-canvas map-${mode}`}
        tabIndex={0}
        role="img"
        aria-label={`The map of ${points.count.toLocaleString()} memories. Arrows move it, plus and minus change its size, Enter selects what is in view.`}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setHovered(null)}
        onKeyDown={type}
        data-points={points.count}
      />
      <ul class="map-regions" aria-label="Regions">
        {apart(regions, view).map(({ name, x, y }) => (
          <li
            key={name}
            style={{
              left: `clamp(4rem, ${view.x + x * view.scale}px, 100% - 4rem)`,
              top: `${view.y + y * view.scale}px`,
            }}
          >
            {name}
          </li>
        ))}
      </ul>
      <div class="map-size" role="group" aria-label="Size of the map">
        <button type="button" onClick={() => nearer(ZOOM)} aria-label="Larger" title="Larger (+)">
          +
        </button>
        <button type="button" onClick={() => nearer(1 / ZOOM)} aria-label="Smaller" title="Smaller (-)">
          −
        </button>
        <button
          type="button"
          onClick={() => setView(null)}
          aria-label="The whole map"
          title="The whole map (0)"
        >
          ⤢
        </button>
      </div>
      {hovered !== null && drag === null && (
        <PointTip
          id={points.ids[hovered] as string}
          x={view.x + (points.x[hovered] as number) * view.scale}
          y={view.y + (points.y[hovered] as number) * view.scale}
          {...size}
        />
      )}
    </div>
  )
}

/** Names nearer than this to a larger region's are left out until the map is made larger. In pixels. */
const [NAME_WIDTH, NAME_HEIGHT] = [120, 24]

const apart = (regions: readonly NamedRegion[], { scale }: View): readonly NamedRegion[] =>
  regions.reduce<readonly NamedRegion[]>(
    (shown, one) =>
      shown.some(
        ({ x, y }) => Math.abs(x - one.x) * scale < NAME_WIDTH && Math.abs(y - one.y) * scale < NAME_HEIGHT,
      )
        ? shown
        : [...shown, one],
    [],
  )

const MOVES: Readonly<Record<string, Position>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

function placeOf(event: MouseEvent, element: Element): Position {
  const { left, top } = element.getBoundingClientRect()
  return { x: event.clientX - left, y: event.clientY - top }
}

function membersOf(groupOf: Uint8Array, group: number): Uint32Array {
  const members: number[] = []
  for (let at = 0; at < groupOf.length; at += 1) if (groupOf[at] === group) members.push(at)
  return Uint32Array.from(members)
}

/** How long somebody must point at something before it is asked for, in milliseconds: on the way nothing is. */
const DWELL_MS = 60

/** What was asked for, for as long as the page is open; a map is a picture of one moment. */
const known = new Map<string, MapEntry>()

/** The title of what the pointer is at, beside it. */
function PointTip({
  id,
  x,
  y,
  width,
  height,
}: {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}) {
  const tip = useRef<HTMLDivElement>(null)
  const [, setLoaded] = useState(0)
  const entry = known.get(id)
  useEffect(() => {
    if (known.has(id)) return
    const left = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const [found] = await readEntries([id], left.signal)
        if (found !== undefined) known.set(id, found)
        setLoaded((before) => before + 1)
      } catch {
        // Without its title a point is still a point; the page's own requests say what is wrong.
      }
    }, DWELL_MS)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [id])
  useEffect(() => {
    // On the side where there is room.
    const style = tip.current?.style
    style?.setProperty('left', x < width / 2 ? `${x + 14}px` : 'auto')
    style?.setProperty('right', x < width / 2 ? 'auto' : `${width - x + 14}px`)
    style?.setProperty('top', y < height / 2 ? `${y + 10}px` : 'auto')
    style?.setProperty('bottom', y < height / 2 ? 'auto' : `${height - y + 10}px`)
  })
  return (
    <div ref={tip} class="map-tip card small" role="status">
      {entry === undefined ? (
        <span class="muted">…</span>
      ) : (
        <>
          <strong>{entry.title}</strong>
          <span class="muted">
            {entry.kind.toLowerCase()}
            {entry.context !== null && ` in ${entry.context}`}, <Ago moment={entry.createdAt} />
          </span>
        </>
      )}
    </div>
  )
}
