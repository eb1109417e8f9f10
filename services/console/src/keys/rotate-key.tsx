import { type ApiKey, type MadeKey, rotateKey } from '../api/keys.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'

const GRACES: readonly { readonly seconds: number; readonly name: string }[] = [
  { seconds: 0, name: 'not at all: it ends now' },
  { seconds: 3_600, name: 'an hour' },
  { seconds: 86_400, name: 'a day' },
  { seconds: 7 * 86_400, name: '7 days' },
  { seconds: 30 * 86_400, name: '30 days' },
]

/** Replaces a key by one that may do the same. */
export function RotateKey({
  of: { id, name, isOwn },
  onMade,
  onClose,
}: {
  readonly of: ApiKey
  onMade(made: MadeKey): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rotate the key of ${name}`}
      action="Rotate"
      onSubmit={async (fields) => onMade(await rotateKey(id, Number(fields.get('grace'))))}
      onClose={onClose}
    >
      <p>
        A new key of the same name may do the same.{' '}
        {isOwn && 'This session belongs to the old one and ends with it.'}
      </p>
      <Field name="The old key stays valid for" hint="So that there is time to replace it where it is used.">
        {(ids) => (
          <select {...ids} name="grace">
            {GRACES.map(({ seconds, name: word }) => (
              <option key={seconds} value={seconds} selected={seconds === 86_400}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  )
}
