import { useState } from 'preact/hooks'
import { type FollowedProject, promote } from '../api/sync.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { formatCounted } from '../components/format.ts'

/** Explains what it means, asks for the project's name, and makes this Daybook its home. */
export function PromoteDialog({
  of: { project, homeUrl, waiting, openConflicts },
  onDone,
  onClose,
}: {
  readonly of: FollowedProject
  /** @param words what was done */
  onDone(words: string): void
  onClose(): void
}) {
  const [lost, setLost] = useState(false)
  return (
    <FormDialog
      title={`Make this Daybook the home of ${project.name}?`}
      action="Make it its home"
      dangerous={lost}
      typed={project.name}
      onSubmit={async (fields) => {
        const { epoch, former } = await promote(project.id, String(fields.get('url') ?? '').trim(), lost)
        onDone(
          `This Daybook is the home of ${project.name} now, in epoch ${epoch}. ${
            lost ? `If ${former} comes back, it is told, and follows it.` : `${former} follows it.`
          }`,
        )
      }}
      onClose={onClose}
    >
      <p>
        From then on this Daybook decides what is written, and {homeUrl} follows it. The old home has to
        agree, and everything that it has must be here first.
      </p>
      {waiting + openConflicts > 0 && !lost && (
        <p class="notice warning">
          {formatCounted(waiting, 'change')} and {formatCounted(openConflicts, 'conflict')} have not reached
          the home. It would be refused now.
        </p>
      )}
      <Field
        name="Address of this Daybook"
        hint="Where the old home finds it: not 127.0.0.1, unless both are on this machine."
      >
        {(ids) => (
          <input
            {...ids}
            name="url"
            type="url"
            required
            placeholder="https://laptop:4000"
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <label class="choice">
        <input type="checkbox" checked={lost} onChange={(event) => setLost(event.currentTarget.checked)} />
        <span>
          The home is lost: do not ask it
          <span class="small muted block">
            What only it has is not here then. If it comes back, it accepts nothing more, and those changes
            are sent here, one after the other. Never do this while it still takes writes and you can reach
            it.
          </span>
        </span>
      </label>
    </FormDialog>
  )
}
