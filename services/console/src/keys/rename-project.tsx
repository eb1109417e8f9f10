import { type Project, renameProject } from '../api/projects.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

/** Asks for another name of a project. */
export function RenameProject({
  of: { id, name },
  onDone,
  onClose,
}: {
  readonly of: Project
  onDone(name: string): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rename the project ${name}`}
      action="Rename"
      onSubmit={async (fields) => onDone((await renameProject(id, String(fields.get('name')).trim())).name)}
      onClose={onClose}
    >
      <p>Its id, memories and keys stay. Whoever names it by its old name must be told.</p>
      <Field name="New name">
        {(ids) => (
          <input {...ids} name="name" required maxLength={200} autocomplete="off" defaultValue={name} />
        )}
      </Field>
    </FormDialog>
  )
}
