import { type Quarantine, releaseQuarantine } from '../api/quarantines.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { formatCounted } from '../components/format.ts'

/** Asks whether a writer is to be released, with what was withheld. */
export function ReleaseQuarantine({
  of,
  writer,
  onDone,
  onClose,
}: {
  readonly of: Quarantine
  readonly writer: string
  /** @param words what is found again */
  onDone(words: string): void
  onClose(): void
}) {
  const withheld = formatCounted(of.memories, 'memory', 'memories')
  return (
    <FormDialog
      title={`Release the ${writer}?`}
      action="Release"
      onSubmit={async (fields) => {
        const { memories } = await releaseQuarantine(of.id, String(fields.get('reason') ?? '').trim() || null)
        onDone(`The ${writer} is released; found again: ${formatCounted(memories, 'memory', 'memories')}.`)
      }}
      onClose={onClose}
    >
      <p>
        {withheld} of this project {of.memories === 1 ? 'is' : 'are'} withheld, because: {of.reason}. Searches
        find
        {of.memories === 1 ? ' it' : ' them'} again, and the writer may write.
      </p>
      <Field name="Reason for the release" hint="It stays in the record. It may be left out.">
        {(ids) => <input {...ids} name="reason" maxLength={200} autocomplete="off" />}
      </Field>
    </FormDialog>
  )
}
