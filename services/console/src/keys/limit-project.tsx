import { type Project, setProjectLimits } from '../api/projects.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

const LIMITS = [
  { field: 'memories', name: 'Memories', hint: 'That are not forgotten.', min: 0 },
  { field: 'bytes', name: 'Bytes of events', hint: 'With those of forgotten memories.', min: 0 },
  { field: 'requestsPerSecond', name: 'Requests a second', hint: 'At each gateway.', min: 1 },
  {
    field: 'queuedTexts',
    name: 'Texts that wait for vectors',
    hint: 'The work that it may leave to do.',
    min: 0,
  },
] as const

/** Asks for the most that a project may hold and ask for. */
export function LimitProject({
  of: { id, name, limits },
  onDone,
  onClose,
}: {
  readonly of: Project
  onDone(): void
  onClose(): void
}) {
  const submit = async (fields: FormData) => {
    const given = Object.fromEntries(
      LIMITS.map(({ field }) => {
        const text = String(fields.get(field) ?? '')
        return [field, text === '' ? null : Number(text)]
      }),
    )
    await setProjectLimits(id, given)
    onDone()
  }
  return (
    <FormDialog title={`Limits of ${name}`} action="Set" onSubmit={submit} onClose={onClose}>
      <p>An empty field is no limit. What the project holds already stays, even where that is more.</p>
      {LIMITS.map(({ field, name: title, hint, min }) => (
        <Field key={field} name={title} hint={hint}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              name={field}
              min={min}
              step={1}
              defaultValue={limits[field] ?? ''}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  )
}
