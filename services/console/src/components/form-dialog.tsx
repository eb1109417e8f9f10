import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'

/** What a dialog asks, and what it does with the answer. */
export interface FormDialogProps {
  readonly title: string
  /** What the button says that does it. */
  readonly action: string
  /** Whether it takes something away. Default no. */
  readonly dangerous?: boolean
  /** A text that must be typed first, such as the name of what is deleted. */
  readonly typed?: string
  /** Whether something is still missing. Default no. */
  readonly incomplete?: boolean
  /** Does it. The dialog closes when that has worked; else it shows the error and stays. */
  onSubmit(fields: FormData): Promise<void>
  onClose(): void
  readonly children?: ComponentChildren
}

/** A dialog with fields or a question, a button that does it and one that does not. */
export function FormDialog({
  title,
  action,
  dangerous = false,
  typed,
  incomplete = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [typedSoFar, setTypedSoFar] = useState('')
  const typing = useId()
  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    setFailure(null)
    try {
      await onSubmit(new FormData(form))
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        {children}
        {typed !== undefined && (
          <div class="field">
            <label for={typing}>
              Type <code>{typed}</code> to confirm
            </label>
            <input
              id={typing}
              value={typedSoFar}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTypedSoFar(event.currentTarget.value)}
            />
          </div>
        )}
        {failure !== null && <ErrorNotice error={failure} />}
        <div class="form-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={dangerous ? 'danger' : 'primary'}
            disabled={busy || incomplete || (typed !== undefined && typedSoFar !== typed)}
          >
            {busy ? 'Working …' : action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
