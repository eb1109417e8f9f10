import { type FollowedProject, unfollow } from '../api/sync.ts'
import { FormDialog } from '../components/form-dialog.tsx'
import { formatCounted } from '../components/format.ts'

/** Says what would be lost, asks for the project's name, and ends following. */
export function UnfollowDialog({
  of: { project, homeUrl, waiting, openConflicts },
  onDone,
  onClose,
}: {
  readonly of: FollowedProject
  /** @param words what was done */
  onDone(words: string): void
  onClose(): void
}) {
  const lost = [
    ...(waiting === 0 ? [] : [formatCounted(waiting, 'change')]),
    ...(openConflicts === 0 ? [] : [formatCounted(openConflicts, 'conflict')]),
  ].join(' and ')
  return (
    <FormDialog
      title={`Unfollow ${project.name}?`}
      action={lost === '' ? 'Unfollow' : 'Unfollow, and lose this'}
      dangerous
      typed={project.name}
      onSubmit={async () => {
        const dropped = await unfollow(project.id, lost !== '')
        onDone(
          `${project.name} is followed no more. ${
            dropped === 0
              ? `Everything is at ${homeUrl}.`
              : `${formatCounted(dropped, 'change')} had not reached ${homeUrl}, and ${dropped === 1 ? 'is' : 'are'} lost.`
          }`,
        )
      }}
      onClose={onClose}
    >
      <p>
        The copy is removed from here: journal, indexes and vectors. Keys that open only this project are
        revoked. Its home, {homeUrl}, keeps everything that it has, and it can be followed again.
      </p>
      {lost === '' ? (
        <p>Nothing would be lost: all that was written here is at the home.</p>
      ) : (
        <p class="notice error">
          {lost} {waiting + openConflicts === 1 ? 'is' : 'are'} only here, and would be lost for good. Let the
          home be reached first to keep {waiting + openConflicts === 1 ? 'it' : 'them'}.
        </p>
      )}
    </FormDialog>
  )
}
