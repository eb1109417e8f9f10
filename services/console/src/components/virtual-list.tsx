import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Rows beyond the edges that are rendered, so that scrolling does not show a blank. */
const OVERSCAN = 10

/** Rows from the end at which more are asked for. */
const NEAR_END = 30

/**
 * A list of any length in its own scrolling area, of which only the visible rows are rendered. One row can be chosen: by
 * pointer, or with the arrow keys, Page Up and Down, Home and End. Rows that come or go above do not move what one reads;
 * at the very top one sees them come.
 * @param rowRem the height of each row, in rem
 * @param keyOf what a row is known by when rows come and go above it
 * @param onNearEnd is called when the end is near, after each rendering again: also where more have come of which none is shown
 */
export function VirtualList({
  label,
  count,
  rowRem,
  keyOf,
  chosen,
  onChoose,
  onNearEnd,
  children: renderRow,
}: {
  readonly label: string
  readonly count: number
  readonly rowRem: number
  keyOf(index: number): string | number
  /** The key of the chosen row; null: none. */
  readonly chosen: string | number | null
  onChoose(key: string | number): void
  onNearEnd(): void
  readonly children: (index: number) => ComponentChildren
}) {
  const area = useRef<HTMLDivElement>(null)
  const id = useId()
  const [view, setView] = useState({ top: 0, height: 0, row: rowRem * 16 })
  const [active, setActive] = useState<string | number | null>(null)
  const before = useRef({ count, keyOf })

  const look = () => {
    const element = area.current
    if (element === null) return
    const row = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const [top, height] = [Math.floor(element.scrollTop / row), element.clientHeight]
    // Within a row nothing else is visible, so nothing is rendered.
    setView((last) =>
      last.top === top && last.height === height && last.row === row ? last : { top, height, row },
    )
  }
  useEffect(() => {
    look()
    const resized = new ResizeObserver(look)
    resized.observe(area.current as HTMLDivElement)
    return () => resized.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = area.current
    const last = before.current
    before.current = { count, keyOf }
    if (element === null || element.scrollTop === 0) return
    const shift = shiftedBy(last, { count, keyOf })
    if (shift !== 0) element.scrollTop += shift * view.row
    look()
  })

  const first = Math.max(0, view.top - OVERSCAN)
  const end = Math.min(count, view.top + Math.ceil(view.height / view.row) + OVERSCAN)
  useEffect(() => {
    if (end + NEAR_END >= count) onNearEnd()
  })

  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / view.row) - 1)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key]
    const at = active === null ? -1 : indexOf(active, { count, keyOf })
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? count - 1 : step === undefined ? null : at + step
    if (event.key === 'Enter' && active !== null && at !== -1) {
      event.preventDefault()
      return onChoose(active)
    }
    if (to === null || count === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = Math.min(count - 1, Math.max(0, to))
    setActive(keyOf(next))
    const element = area.current
    if (element === null) return
    const top = next * view.row
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + view.row > element.scrollTop + element.clientHeight)
      element.scrollTop = top + view.row - element.clientHeight
  }

  const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset)
  const isShown = rows.some((index) => keyOf(index) === active)
  return (
    <div
      ref={area}
      class={`virtual-list${count === 0 ? ' is-empty' : ''}`}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={isShown ? `${id}-${active}` : undefined}
      onScroll={look}
      onKeyDown={move}
    >
      <div role="presentation" class="virtual-rows" style={{ height: `${count * view.row}px` }}>
        {rows.map((index) => {
          const key = keyOf(index)
          return (
            <div
              key={key}
              id={`${id}-${key}`}
              role="option"
              class="virtual-row"
              aria-selected={key === chosen}
              aria-posinset={index + 1}
              aria-setsize={count}
              data-active={key === active ? '' : undefined}
              style={{ top: `${index * view.row}px`, height: `${view.row}px` }}
              onClick={() => {
                setActive(key)
                onChoose(key)
              }}
            >
              {renderRow(index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Rows by their keys. */
interface Rows {
  readonly count: number
  keyOf(index: number): string | number
}

/** How many rows came above (or, below zero, went) between two lists. */
function shiftedBy(last: Rows, now: Rows): number {
  if (last.count === 0 || now.count === 0) return 0
  const came = indexOf(last.keyOf(0), now)
  if (came !== -1) return came
  return -Math.max(0, indexOf(now.keyOf(0), last))
}

function indexOf(key: string | number, { count, keyOf }: Rows): number {
  for (let index = 0; index < count; index += 1) if (keyOf(index) === key) return index
  return -1
}
