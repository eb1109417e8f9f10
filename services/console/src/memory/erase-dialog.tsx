import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type ErasedMemory, erase } from '../api/change-memory.ts'
import type { WholeMemory } from '../api/memory.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'

/** What one types to confirm. */
const WORD = 'erase'

/** Says what erasing means, and erases once that is confirmed by typing. */
export function EraseDialog({
  memory: { id, title, version, part },
  onClose,
  onErased,
}: {
  readonly memory: WholeMemory
  onClose(): void
  onErased(erased: ErasedMemory): void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const { busy, error, run } = useChange()
  const heading = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const confirmed = typed.trim().toLowerCase() === WORD
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (confirmed) void run(async () => onErased(await erase(id)))
        }}
      >
        <h2 id={heading}>Erase this memory for good?</h2>
        <p class="dialog-title">{title}</p>
        <p>
          What it says, in {version === 1 ? 'its only version' : `all ${version.toLocaleString()} versions`}
          {part !== null && `, with all ${part.parts.length.toLocaleString()} parts of the document`}, is gone
          from the journal at once, and from search, vectors and messages within seconds. An event without
          content stays: who erased it, and when.
        </p>
        <p>
          <strong>Nothing brings it back</strong>, not even undo. Backups and exports that were made before
          keep their copies. To take it out of searches only, forget it.
        </p>
        <label>
          <span>
            Type <code>{WORD}</code> to confirm
          </span>
          <input
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
        </label>
        {error !== null && <ErrorNotice error={error} />}
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button type="submit" class="danger" disabled={!confirmed || busy}>
            {busy ? 'Erasing …' : 'Erase for good'}
          </button>
        </div>
      </form>
    </dialog>
  )
}
