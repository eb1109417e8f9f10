import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isCode, matchesIn, type Piece } from './matches.ts'

/** How a state is meant: colour alone never says it, the words do. */
export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'neutral'

/** A state in a word or two. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** A filter that is on or off, with how many it would leave. */
export function Chip({
  name,
  count,
  on,
  onToggle,
}: {
  readonly name: string
  /** Null where it is not known. */
  readonly count: number | null
  readonly on: boolean
  onToggle(): void
}) {
  return (
    <button type="button" class="chip" aria-pressed={on} onClick={onToggle}>
      {name}
      {count !== null && <span class="count"> {count.toLocaleString()}</span>}
    </button>
  )
}

/** A quiet mark of a memory whose newest version is only here, until its project's home can be reached. */
export const NotShared = () => (
  <span
    class="tag not-shared"
    title="Written while the home of this project could not be reached. It is sent there by itself."
  >
    not shared yet
  </span>
)

/** A text with what matches in it. */
export const Pieces = ({ pieces }: { readonly pieces: readonly Piece[] }) => (
  <>{pieces.map(({ text, isMatch }, index) => (isMatch ? <mark key={index}>{text}</mark> : text))}</>
)

/**
 * A text that a memory holds, with its lines; a log and code in a fixed width. Where it scrolls, or what it stands in, the
 * match that a snippet of it shows is in view.
 */
export function MemoryText({
  text,
  snippet = [],
}: {
  readonly text: string
  readonly snippet?: readonly Piece[]
}) {
  const place = useRef<HTMLDivElement>(null)
  const { pieces, anchor } = matchesIn(text, snippet)
  const shown = snippet.map((piece) => piece.text).join('')
  useLayoutEffect(() => {
    const own = place.current
    const match = own?.querySelector('[data-anchor]')
    if (own == null || match == null) return
    for (const box of [own, own.closest('.memory-pane, .hit-text')]) {
      const [inner, outer] = [match.getBoundingClientRect(), box?.getBoundingClientRect()]
      if (box === null || outer === undefined) continue
      if (inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3
      if (inner.right > outer.right) box.scrollLeft += inner.left - outer.left - outer.width / 3
    }
  }, [text, shown])
  const code = isCode(text)
  return (
    <div
      ref={place}
      class={code ? 'memory-text code' : 'memory-text'}
      // What scrolls is reached with keys too.
      {...(code && { tabIndex: 0, role: 'group', 'aria-label': 'Log or code' })}
    >
      {pieces.map((piece, index) =>
        piece.isMatch ? (
          <mark key={index} data-anchor={index === anchor ? '' : undefined}>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </div>
  )
}
