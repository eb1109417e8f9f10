/** A part of a text, and whether both versions have it. */
interface TextPart {
  readonly change: 'SAME' | 'REMOVED' | 'ADDED'
  readonly text: string
}

/** What stays of a long passage that did not change, in characters at each end that touches a change. */
const CONTEXT = 160

/** Two versions of a text as one, word by word: what went is struck through, what came is underlined. */
export function WordDiff({ parts }: { readonly parts: readonly TextPart[] }) {
  return (
    <pre class="word-diff">
      {parts.map(({ change, text }, index) => {
        if (change === 'REMOVED') return <del key={index}>{text}</del>
        if (change === 'ADDED') return <ins key={index}>{text}</ins>
        return <span key={index}>{shorten(text, index > 0, index < parts.length - 1)}</span>
      })}
    </pre>
  )
}

function shorten(text: string, afterChange: boolean, beforeChange: boolean): string {
  const [head, tail] = [afterChange ? CONTEXT : 0, beforeChange ? CONTEXT : 0]
  // By code points, so that no character is cut in two.
  const points = Array.from(text)
  if (points.length <= head + tail + CONTEXT) return text
  return `${points.slice(0, head).join('')} … ${tail === 0 ? '' : points.slice(-tail).join('')}`
}
