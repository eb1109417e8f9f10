import { deleteProject, type Project } from '../api/projects.ts'
import { FormDialog } from '../components/form-dialog.tsx'
import { formatCounted } from '../components/format.ts'

/** Asks for a project's name, and deletes it for good. */
export function DeleteProject({
  of,
  onDone,
  onClose,
}: {
  readonly of: Project
  /** @param words what was deleted, and what is out of reach */
  onDone(words: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Delete the project ${of.name}?`}
      action="Delete for good"
      dangerous
      typed={of.name}
      onSubmit={async () => {
        const { events, outOfReach } = await deleteProject(of)
        onDone(
          `The project ${of.name} is deleted. An operation removes its ${formatCounted(events, 'event')}. Out of reach are: ${outOfReach.join('; ')}.`,
        )
      }}
      onClose={onClose}
    >
      <p>
        {formatCounted(of.memories, 'memory', 'memories')}, the journal, all indexes and vectors are removed
        for good. Nobody can read or write the project any more, and keys that open only this one are revoked.
        It cannot be undone.
      </p>
    </FormDialog>
  )
}
