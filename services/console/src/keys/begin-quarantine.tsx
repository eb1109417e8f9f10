import type { ApiKey } from '../api/keys.ts'
import { beginQuarantine } from '../api/quarantines.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

/** Puts a writer into quarantine: a key, or an agent by its name. */
export function BeginQuarantine({
  of,
  wholeDaybook,
  project,
  onDone,
  onClose,
}: {
  /** Null: an agent, which is asked for. */
  readonly of: ApiKey | null
  readonly wholeDaybook: boolean
  readonly project: string | null
  onDone(): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={of === null ? 'Put an agent into quarantine' : `Put the key of ${of.name} into quarantine`}
      action="Quarantine"
      dangerous
      onSubmit={async (fields) => {
        await beginQuarantine({
          key: of?.id ?? null,
          agent: of === null ? String(fields.get('agent') ?? '').trim() : null,
          reason: String(fields.get('reason') ?? '').trim(),
          allProjects: fields.has('all'),
        })
        onDone()
      }}
      onClose={onClose}
    >
      <p>
        Whatever it is an author of in {project ?? 'the project'} leaves every search at once, and what it
        writes is refused. It may still read. A release brings everything back as it was.
      </p>
      {of === null && (
        <Field
          name="Agent"
          hint="As memories name it. Nothing proves an agent’s name: whoever uses another one is free."
        >
          {(ids) => <input {...ids} name="agent" required maxLength={200} autocomplete="off" />}
        </Field>
      )}
      <Field name="Reason" hint="Whoever reads one of these memories by its id sees it.">
        {(ids) => <input {...ids} name="reason" required maxLength={200} autocomplete="off" />}
      </Field>
      {of !== null && wholeDaybook && (
        <label class="choice">
          <input type="checkbox" name="all" defaultChecked={!opens(of, project)} />
          In all projects
        </label>
      )}
    </FormDialog>
  )
}

const opens = ({ allProjects, projects }: ApiKey, project: string | null): boolean =>
  allProjects || projects.some(({ name }) => name === project)
