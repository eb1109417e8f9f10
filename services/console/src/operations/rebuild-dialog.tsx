import { type Operation, type ProjectionName, rebuild } from '../api/operations.ts'
import { Field } from '../components/field.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { projectionTitle } from './operation-name.ts'

/** Asks how a projection is to be rebuilt, and starts that. */
export function RebuildDialog({
  projection,
  model,
  onStarted,
  onClose,
}: {
  readonly projection: ProjectionName
  /** That of the live generation; null if there is none. */
  readonly model: string | null
  onStarted(operation: Operation): void
  onClose(): void
}) {
  return (
    <FormDialog
      title={`Rebuild ${projectionTitle(projection)}`}
      action="Rebuild"
      onClose={onClose}
      onSubmit={async (fields) =>
        onStarted(
          await rebuild({
            projection,
            model: String(fields.get('model') ?? '').trim() || null,
            regenerateEmbeddings: fields.has('regenerate'),
            acceptParked: fields.has('accept-parked'),
          }),
        )
      }
    >
      <p>
        A new generation is built from the journal, beside the live one, and swapped in when it is complete.
        Searches and writes go on; the old generation is kept for a rollback.
      </p>
      <Field name="Embedding model" hint="Leave it empty to keep the model of the live generation.">
        {(ids) => (
          <input {...ids} name="model" placeholder={model ?? ''} autocomplete="off" spellcheck={false} />
        )}
      </Field>
      <label class="choice">
        <input type="checkbox" name="regenerate" />
        <span>
          Make all vectors again
          <span class="small muted block">Else those that are stored are used. It takes much longer.</span>
        </span>
      </label>
      <label class="choice">
        <input type="checkbox" name="accept-parked" />
        <span>
          Accept parked events
          <span class="small muted block">
            The new generation goes live even if it cannot apply events that the live one has applied.
          </span>
        </span>
      </label>
    </FormDialog>
  )
}
