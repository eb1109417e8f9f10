import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { formatMoment } from './ago.tsx'

/**
 * A field of a form, with its name above it and an explanation below.
 * @param children gets the ids that connect them with the control
 */
export function Field({
  name,
  hint,
  children,
}: {
  readonly name: string
  readonly hint?: ComponentChildren
  children(ids: { readonly id: string; readonly 'aria-describedby': string | undefined }): ComponentChildren
}) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p id={hintId} class="small muted">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Names of fields that read badly when they are only split into words. */
const NAMES: Readonly<Record<string, string>> = {
  externalId: 'Id elsewhere',
  occurredAt: 'When it happened',
  expiresAt: 'Expires',
}

/** A field's name in words: `antiPattern` is `Anti pattern`. */
export function fieldName(field: string): string {
  const own = field.replace(/^content\./u, '')
  const words = own.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return NAMES[own] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u

/** Any value of a field as text; moments as the viewer's clock says them. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(String).join(', ')
  if (typeof value === 'object') return JSON.stringify(value, null, 2)
  const text = String(value)
  return MOMENT.test(text) ? formatMoment(text) : text
}

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
