import { useState } from 'preact/hooks'

/** How long the button says that it was copied, in milliseconds. */
const SAID_MS = 2_000

/** A text to take along, such as a command line, with a button that copies it. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState('Copy')
  const copy = async () => {
    // Without TLS on another host browsers have no clipboard.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setSaid(done === true ? 'Copied' : 'Select it')
    setTimeout(() => setSaid('Copy'), SAID_MS)
  }
  return (
    <div class="copyable">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" class="small" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
        <span aria-live="polite">{said}</span>
      </button>
    </div>
  )
}
