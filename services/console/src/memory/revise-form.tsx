import { DaybookClientError } from '@daybook/client/client-error'
import { useState } from 'preact/hooks'
import { revise } from '../api/change-memory.ts'
import { readMemory, type WholeMemory } from '../api/memory.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'
import { VersionChanges } from '../components/version-changes.tsx'
import { type Draft, type DraftField, draftFields, toRevision, valueIn } from './draft.ts'
import { DraftControl } from './draft-control.tsx'

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
        const newest = await readMemory(base.id, null)
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
