import { createProject } from '../api/projects.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

/** Asks for the name of a new project, and makes it. */
export function CreateProject({ onDone, onClose }: { onDone(name: string): void; onClose(): void }) {
  return (
    <FormDialog
      title="Create a project"
      action="Create"
      onSubmit={async (fields) => onDone((await createProject(String(fields.get('name')).trim())).name)}
      onClose={onClose}
    >
      <p>A tenant of its own: no key of another project can see or find what is in it.</p>
      <Field name="Name">
        {(ids) => <input {...ids} name="name" required maxLength={200} autocomplete="off" />}
      </Field>
    </FormDialog>
  )
}
