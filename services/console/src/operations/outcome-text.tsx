import type { Outcome } from './verified.ts'

/** The most details that are listed. */
const MOST = 100

/** A result in words, with what stands behind it to be unfolded. */
export function OutcomeText({ outcome: { sentence, details } }: { readonly outcome: Outcome }) {
  if (details.length === 0) return <>{sentence}</>
  return (
    <>
      {sentence}
      <details class="outcome-details">
        <summary>
          {details.length === 1 ? 'What it is' : `What they are (${details.length.toLocaleString()})`}
        </summary>
        {/* It scrolls, also with the keyboard. */}
        <ul tabIndex={0}>
          {details.slice(0, MOST).map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
          {details.length > MOST && <li>… all of them: daybook operations show</li>}
        </ul>
      </details>
    </>
  )
}
