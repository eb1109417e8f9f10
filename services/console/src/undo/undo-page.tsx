import { useState } from 'preact/hooks'
import { readUndo } from '../api/undo.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useLatest } from '../components/use-latest.ts'
import { setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { EarlierUndos } from './earlier-undos.tsx'
import { UndoForm } from './undo-form.tsx'
import { UndoPreview } from './undo-preview.tsx'
import { UndoRun } from './undo-run.tsx'
import { askedBy, readUndoSettings } from './undo-settings.ts'

/** Takes back what was done since a moment: choose, look at what would happen, do it; an undo can be undone. */
export default function UndoPage({ session }: PageProps) {
  const { params } = useLocation()
  const settings = readUndoSettings(params)
  const running = params.get('run')
  const [error, setError] = useState<unknown>(null)
  const asked = askedBy(settings)
  const canWrite = session.scopes.includes('write')
  return (
    <div class="page undo-page">
      <h1>Undo</h1>
      <p class="measure">
        Takes back what was done since a moment: what was remembered is forgotten, and what was revised,
        forgotten or restored goes back to the version before. Nothing is lost: an undo can be undone.
      </p>
      {!canWrite && <p class="notice">Your key may only read, so it can undo nothing.</p>}
      {running !== null && <Running id={running} />}
      {canWrite && running === null && (
        <>
          <UndoForm settings={settings} />
          {error !== null && <ErrorNotice error={error} />}
          {asked !== null && (
            <UndoPreview
              key={JSON.stringify(asked)}
              asked={asked}
              onStarted={({ id }) => {
                setError(null)
                setParams({ run: id })
              }}
            />
          )}
          <EarlierUndos />
        </>
      )}
    </div>
  )
}

function Running({ id }: { readonly id: string }) {
  const [tries, setTries] = useState(0)
  const { answer, error } = useLatest(
    id,
    async (signal) => ({ operation: await readUndo(id, signal) }),
    tries,
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />
  if (answer === null) return <p class="loading">Loading …</p>
  if (answer.operation === null) return <p class="notice">There is no such undo in this project.</p>
  return <UndoRun begun={answer.operation} />
}
