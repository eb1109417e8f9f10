import type { ComponentChildren, VNode } from 'preact'

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

/**
 * A snippet of the API: HTML in which matches stand in `<mark>` and everything else is escaped. It is read as exactly
 * that, so that whatever a memory holds stays text.
 */
export function Snippet({ html }: { readonly html: string }): VNode {
  return (
    <>
      {html.split(/<mark>(.*?)<\/mark>/su).map((part, index) => {
        // Every second part is what the pattern caught.
        const text = unescape(part)
        return index % 2 === 1 ? <mark key={index}>{text}</mark> : text
      })}
    </>
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

const unescape = (text: string): string =>
  text.replaceAll(/&(?:lt|gt|quot|#39|amp);/gu, (entity) => ENTITIES[entity] ?? entity)
