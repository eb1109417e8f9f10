import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ErrorNotice } from './error-notice.tsx'

/** A window above the page. The browser keeps the focus in it and gives it back afterwards; Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string
  onClose(): void
  readonly children: ComponentChildren
}) {
  const shown = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const dialog = shown.current
    if (dialog === null) return
    dialog.showModal()
    // A second Escape closes it whatever the page says.
    dialog.addEventListener('close', onClose)
    return () => {
      dialog.removeEventListener('close', onClose)
      // Before it leaves the page: only a dialog that is closed gives the focus back.
      dialog.close()
    }
  }, [])
  return (
    <dialog
      ref={shown}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}

/** What a dialog asks, and what it does with the answer. */
interface FormDialogProps {
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
