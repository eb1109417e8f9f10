import type { Explanation } from '@daybook/client/documents/explanation'
import { useId, useState } from 'preact/hooks'
import { number, type ScorePart, scoreParts } from './score-parts.ts'

/**
 * A hit's score as a bar: as long as the score, divided by what spoke for the hit. Hovering, focusing or pressing it shows
 * the formula's numbers.
 */
export function ScoreBar({
  explanation,
  title,
}: {
  readonly explanation: Explanation
  readonly title: string
}) {
  const id = useId()
  // `held` by a press, so that touch and keyboard can keep it open; `shown` while the pointer or the focus is there.
  const [held, setHeld] = useState(false)
  const [shown, setShown] = useState(false)
  const { parts, result } = scoreParts(explanation)
  const open = held || shown
  const close = () => {
    setHeld(false)
    setShown(false)
  }
  return (
    <div class="score" onMouseEnter={() => setShown(true)} onMouseLeave={() => setShown(false)}>
      <button
        type="button"
        class="score-bar"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Score ${explanation.score.toFixed(2)}: why was "${title}" found?`}
        onFocus={() => setShown(true)}
        onBlur={close}
        onClick={() => setHeld(!held)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
        }}
      >
        <span class="score-number">{explanation.score.toFixed(2)}</span>
        <span class="score-track" aria-hidden="true">
          {segments(parts, explanation.score).map(({ series, percent }, index) => (
            <span key={index} class={`series-${series}`} style={{ width: `${percent}%` }} />
          ))}
        </span>
      </button>
      <div id={id} class="score-why card" hidden={!open}>
        <table>
          <caption class="visually-hidden">How the score came about</caption>
          <tbody>
            {parts.map(({ name, formula, contribution, series }) => (
              <tr key={name}>
                <th scope="row">
                  <span class={`dot series-${series}`} aria-hidden="true" /> {name}
                </th>
                <td class="muted">{formula}</td>
                <td>{signed(contribution)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="small">{result}</p>
        <p class="small muted">
          generation {explanation.generation}
          {explanation.model !== null && `, ${explanation.model}`}
        </p>
      </div>
    </div>
  )
}

/** The bar's pieces: what spoke for the hit, in its shares of the score's length. */
function segments(
  parts: readonly ScorePart[],
  score: number,
): { readonly series: number; readonly percent: number }[] {
  const speaking = parts.filter(({ contribution }) => contribution > 0)
  const sum = speaking.reduce((all, { contribution }) => all + contribution, 0)
  if (sum === 0) return [{ series: 6, percent: score * 100 }]
  return speaking.map(({ series, contribution }) => ({ series, percent: (contribution / sum) * score * 100 }))
}

const signed = (value: number): string => `${value > 0 ? '+' : ''}${number(value)}`
