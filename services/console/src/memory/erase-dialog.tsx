import { type ErasedMemory, erase } from '../api/change-memory.ts'
import type { WholeMemory } from '../api/memory.ts'
import { FormDialog } from '../components/form-dialog.tsx'

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
  return (
    <FormDialog
      title="Erase this memory for good?"
      action="Erase for good"
      dangerous
      typed="erase"
      onSubmit={async () => onErased(await erase(id))}
      onClose={onClose}
    >
      <p class="erase-title">{title}</p>
      <p>
        What it says, in {version === 1 ? 'its only version' : `all ${version.toLocaleString()} versions`}
        {part !== null && `, with all ${part.parts.length.toLocaleString()} parts of the document`}, is gone
        from the journal at once, and from search, vectors and messages within seconds. An event without
        content stays: who erased it, and when.
      </p>
      <p>
        <strong>Nothing brings it back</strong>, not even undo. Backups and exports that were made before keep
        their copies. To take it out of searches only, forget it.
      </p>
    </FormDialog>
  )
}
