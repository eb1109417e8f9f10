import { useId } from 'preact/hooks'
import type { DraftField } from './draft.ts'

/** The control of one field: what it holds, and a sentence about it. */
export function DraftControl({
  field: { name, control, required, hint },
  value,
  onType,
}: {
  readonly field: DraftField
  readonly value: string
  onType(value: string): void
}) {
  const [id, hintId] = [useId(), useId()]
  const shared = {
    id,
    value,
    required,
    'aria-describedby': hint === undefined ? undefined : hintId,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onType(event.currentTarget.value),
  }
  return (
    <div class="draft-field">
      <label for={id}>{name}</label>
      {control === 'text' && <textarea {...shared} rows={rowsOf(value)} />}
      {(control === 'lines' || control === 'json') && (
        <textarea
          {...shared}
          class={control === 'json' ? 'code' : ''}
          rows={rowsOf(value)}
          spellcheck={false}
        />
      )}
      {(control === 'line' || control === 'words') && <input {...shared} type="text" autocomplete="off" />}
      {control === 'moment' && <input {...shared} type="datetime-local" step={1} />}
      {control === 'number' && <input {...shared} type="number" min={0} max={10} step={1} required />}
      {typeof control === 'object' && (
        <select {...shared}>
          {!required && <option value="">–</option>}
          {control.map((word) => (
            <option key={word} value={word.toUpperCase()}>
              {word}
            </option>
          ))}
        </select>
      )}
      {hint !== undefined && (
        <p id={hintId} class="small muted">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Rows that show most texts whole, without filling the screen. Browsers that can, fit them to the text anyway. */
const rowsOf = (text: string): number =>
  Math.min(16, Math.max(2, text.split('\n').length, Math.ceil(text.length / 80)))
