import { type ConflictRule, type FollowedProject, followProject, repointProject } from '../api/sync.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { RULES } from './rules.ts'

/** What is known already of what is to be followed. */
export interface FollowForm {
  readonly url?: string
  /** One that is followed already: only the address and the key are asked for. */
  readonly project?: FollowedProject['project']
}

/** Asks for a home, a key and a project, and follows it. The key is in the field only, and goes when the dialog closes. */
export function FollowDialog({
  given,
  onDone,
  onClose,
}: {
  readonly given: FollowForm
  /** @param words what is followed now */
  onDone(words: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={given.project === undefined ? 'Follow a project' : `Follow ${given.project.name} again`}
      action="Follow"
      onClose={onClose}
      onSubmit={async (fields) => {
        const text = (name: string) => String(fields.get(name) ?? '').trim()
        if (given.project !== undefined) {
          const again = await repointProject({ id: given.project.id, url: text('url'), key: text('key') })
          return onDone(`${again.project.name} follows ${again.homeUrl} with what you gave.`)
        }
        const { followed, again, tookOver } = await followProject({
          url: text('url'),
          key: text('key'),
          project: text('project'),
          rule: text('rule') as ConflictRule,
        })
        const { name } = followed.project
        onDone(
          [
            `${name} follows ${followed.homeUrl} ${again ? 'with what you gave' : 'from now on'}.`,
            ...(tookOver ? ['It took the place of the empty project of that name, with its keys.'] : []),
          ].join(' '),
        )
      }}
    >
      <p>
        The journal of a project of another Daybook, its home, is copied to here. Reads and searches are local
        then; what is written here goes to the home, and waits here while the home cannot be reached.
      </p>
      <Field name="Address of its home">
        {(ids) => (
          <input
            {...ids}
            name="url"
            type="url"
            required
            defaultValue={given.url}
            placeholder="https://daybook.example:4000"
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </Field>
      <Field
        name="Key"
        hint="Made at the home, with the scopes READ and FOLLOW; with WRITE, too, if this Daybook is to write. It is kept here, and never shown."
      >
        {(ids) => <input {...ids} name="key" type="password" required autocomplete="new-password" />}
      </Field>
      {given.project === undefined && (
        <>
          <Field name="Project" hint="Its name or id at the home.">
            {(ids) => <input {...ids} name="project" required autocomplete="off" spellcheck={false} />}
          </Field>
          <Field
            name="Conflicts"
            hint="Changes made offline to a memory that the home has changed meanwhile."
          >
            {(ids) => (
              <select {...ids} name="rule">
                {RULES.map(({ rule, meaning }) => (
                  <option key={rule} value={rule}>
                    {meaning}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </FormDialog>
  )
}
