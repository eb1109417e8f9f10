import { useEffect, useRef, useState } from 'preact/hooks'
import { type MapEntry, readEntries } from '../api/memory-map.ts'
import { Ago } from '../components/ago.tsx'

/** How long somebody must point at something before it is asked for, in milliseconds: on the way nothing is. */
const DWELL_MS = 60

/** What was asked for, for as long as the page is open; a map is a picture of one moment. */
const known = new Map<string, MapEntry>()

/** The title of what the pointer is at, beside it. */
export function PointTip({
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
