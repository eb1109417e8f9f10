import { DaybookClientError } from '@daybook/client/client-error'
import { useId, useState } from 'preact/hooks'
import { type ErasedMemory, erase, readMemory, revise, type WholeMemory } from '../api/memory.ts'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/hooks.ts'
import { VersionChanges } from '../components/memory-facts.tsx'
import { type Draft, type DraftField, draftFields, toRevision, valueIn } from './draft.ts'

/**
 * Revises a memory in place. If somebody else has changed it meanwhile, nothing is written and nothing that was typed is
 * lost: the form says what they changed, takes over their version for the fields that were not touched, and can be saved again.
 * @param opened the memory as it was when the form was opened
 */
export function ReviseForm({ opened, onEnd }: { readonly opened: WholeMemory; onEnd(): void }) {
  const [base, setBase] = useState(opened)
  const [draft, setDraft] = useState<Draft>({})
  // The version before what somebody else did.
  const [overtaken, setOvertaken] = useState<number | null>(null)
  const { busy, error, run } = useChange()
  const { own, common } = draftFields(base)
  const save = () =>
    run(async () => {
      const revision = toRevision(base, draft)
      if (revision === null) return onEnd()
      try {
        await revise(base.id, revision, base.version)
        onEnd()
      } catch (failure) {
        const version = versionNow(failure)
        if (version === null) throw failure
        const newest = await readMemory(base.id)
        // The index may be a moment behind the conflict.
        if (newest === null || newest.version < version) throw failure
        setOvertaken(base.version)
        setBase(newest)
      }
    })
  const control = (field: DraftField) => (
    <DraftControl
      key={field.field}
      field={field}
      value={draft[field.field] ?? valueIn(base, field)}
      onType={(value) => setDraft((typed) => ({ ...typed, [field.field]: value }))}
    />
  )
  return (
    <form
      class="card revise-form"
      aria-label="Revise"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
      }}
    >
      <h2>Revise version {base.version.toLocaleString()}</h2>
      {overtaken !== null && (
        <div class="notice warning" role="alert">
          <p>
            Somebody else changed this memory while you wrote: it is at version{' '}
            {base.version.toLocaleString()} now. Nothing was written, and what you typed is still here. This
            is what they changed:
          </p>
          <VersionChanges id={base.id} version={base.version} from={overtaken} />
          <p>Save again to put yours on top; fields that you did not touch stay as they made them.</p>
        </div>
      )}
      {own.map(control)}
      <div class="draft-common">{common.map(control)}</div>
      {error !== null && <ErrorNotice error={error} />}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          {busy
            ? 'Saving …'
            : overtaken === null
              ? 'Save'
              : `Save over version ${base.version.toLocaleString()}`}
        </button>
        <button type="button" onClick={onEnd} disabled={busy}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** The version that a conflict names; null for any other failure. */
function versionNow(failure: unknown): number | null {
  if (!(failure instanceof DaybookClientError) || failure.code !== 'VERSION_CONFLICT') return null
  const version = failure.details['currentVersion']
  return typeof version === 'number' ? version : null
}

/** The control of one field: what it holds, and a sentence about it. */
export function DraftControl({
  field: { name, control, required, hint },
  value,
  isFirst = false,
  onType,
}: {
  readonly field: DraftField
  readonly value: string
  /** Whether a dialog begins with it, wherever it stands. Default no. */
  readonly isFirst?: boolean
  onType(value: string): void
}) {
  const [id, hintId] = [useId(), useId()]
  const shared = {
    id,
    value,
    required,
    autofocus: isFirst,
    'aria-describedby': hint === undefined ? undefined : hintId,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onType(event.currentTarget.value),
  }
  return (
    <div class="draft-field">
      <label for={id}>{name}</label>
      {control === 'text' && <textarea {...shared} rows={rowsOf(value)} />}
      {(control === 'lines' || control === 'json') && (
        <textarea
          {...shared}
          class={control === 'json' ? 'code' : ''}
          rows={rowsOf(value)}
          spellcheck={false}
        />
      )}
      {(control === 'line' || control === 'words') && <input {...shared} type="text" autocomplete="off" />}
      {control === 'moment' && <input {...shared} type="datetime-local" step={1} />}
      {control === 'number' && <input {...shared} type="number" min={0} max={10} step={1} required />}
      {typeof control === 'object' && (
        <select {...shared}>
          {!required && <option value="">–</option>}
          {control.map((word) => (
            <option key={word} value={word.toUpperCase()}>
              {word}
            </option>
          ))}
        </select>
      )}
      {hint !== undefined && (
        <p id={hintId} class="small muted">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Rows that show most texts whole, without filling the screen. Browsers that can, fit them to the text anyway. */
const rowsOf = (text: string): number =>
  Math.min(16, Math.max(2, text.split('\n').length, Math.ceil(text.length / 80)))

/** Says what erasing means, and erases once that is confirmed by typing. */
export function EraseDialog({
  memory: { id, title, version, part },
  onClose,
  onErased,
}: {
  readonly memory: WholeMemory
  onClose(): void
  onErased(erased: ErasedMemory): void
}) {
  return (
    <FormDialog
      title="Erase this memory for good?"
      action="Erase for good"
      dangerous
      typed="erase"
      onSubmit={async () => onErased(await erase(id))}
      onClose={onClose}
    >
      <p class="erase-title">{title}</p>
      <p>
        What it says, in {version === 1 ? 'its only version' : `all ${version.toLocaleString()} versions`}
        {part !== null && `, with all ${part.parts.length.toLocaleString()} parts of the document`}, is gone
        from the journal at once, and from search, vectors and messages within seconds. An event without
        content stays: who erased it, and when.
      </p>
      <p>
        <strong>Nothing brings it back</strong>, not even undo. Backups and exports that were made before keep
        their copies. To take it out of searches only, forget it.
      </p>
    </FormDialog>
  )
}
