import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

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
