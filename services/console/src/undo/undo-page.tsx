import { useEffect, useState } from 'preact/hooks'
import { readUndo, readUndos, type UndoOperation } from '../api/undo.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { refresh, useLatest } from '../components/hooks.ts'
import { setParams, useLocation } from '../router/location.ts'
import type { PageProps } from '../shell/page.ts'
import { UndoForm, UndoPreview } from './undo-form.tsx'
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

/** The last undos, each of which can be taken back. */
function EarlierUndos() {
  const { answer, error } = useLatest('undos', readUndos)
  if (error !== null) return <ErrorNotice error={error} />
  if (answer === null || answer.length === 0) return null
  return (
    <section class="earlier-undos" aria-label="Earlier undos">
      <h2>Earlier undos</h2>
      <ul>
        {answer.map((operation) => (
          <li key={operation.id} class="card">
            <span>
              <Ago moment={operation.createdAt} />
              {operation.requestedBy !== null && <> by {operation.requestedBy}</>}
              {`: ${inWords(operation)}`}
            </span>
            {hasEnded(operation) && <TakeBack operation={operation} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

// Whose writes they were is not said: what an undo selected is not kept once it has ended.
function inWords({ status, result }: UndoOperation): string {
  return status === 'SUCCEEDED'
    ? `memories undone: ${Number(result?.['undone'] ?? 0).toLocaleString()}`
    : status.toLowerCase()
}

/** An undo at work, and what it came to. */
function UndoRun({ begun }: { readonly begun: UndoOperation }) {
  const operation = useUndoProgress(begun)
  const { done, total, status, error } = operation
  return (
    <section class="card undo-run" aria-label="The undo">
      <h2 role="status">{WORDS[status]}</h2>
      {!hasEnded(operation) && (
        <>
          <progress
            value={total === null ? undefined : done}
            max={total ?? undefined}
            aria-label="Progress"
          />
          <p class="small muted">
            {done.toLocaleString()}
            {total !== null && ` of ${total.toLocaleString()}`} memories. It goes on if you leave.
          </p>
        </>
      )}
      {error !== null && <p class="notice warning">{error}</p>}
      {hasEnded(operation) && <Outcome operation={operation} />}
      {hasEnded(operation) && (
        <div class="buttons">
          <TakeBack operation={operation} />
          <button type="button" onClick={startAgain}>
            Undo something else
          </button>
        </div>
      )}
    </section>
  )
}

/** Back to the empty form. */
const startAgain = (): void =>
  setParams({
    run: null,
    since: null,
    agent: null,
    context: null,
    actor: null,
    operation: null,
    everything: null,
  })

const WORDS = {
  QUEUED: 'The undo begins in a moment',
  RUNNING: 'The undo is at work',
  SUCCEEDED: 'The undo is done',
  FAILED: 'The undo has failed',
  CANCELLED: 'The undo was cancelled; what it had done stays',
} as const

/** A memory that was not undone, as the result of the operation lists it. */
interface Refused {
  readonly memoryId: string
  readonly title: string | null
  readonly reason: string
}

function Outcome({ operation: { result } }: { readonly operation: UndoOperation }) {
  if (result === null) return null
  const count = (name: string) => Number(result[name] ?? 0)
  const refusals = (Array.isArray(result['refusals']) ? result['refusals'] : []) as readonly Refused[]
  return (
    <>
      <p>
        Memories undone: {count('undone').toLocaleString()}; as they should be already:{' '}
        {count('unchanged').toLocaleString()}; refused: {count('refused').toLocaleString()}.
      </p>
      {refusals.length > 0 && (
        <ul class="memory-list">
          {refusals.map(({ memoryId, title, reason }) => (
            <li key={memoryId}>
              {title ?? 'erased'}: {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** How often one looks, in milliseconds. An undo of a thousand memories takes some seconds. */
const LOOK_MS = 400

/** Whether an undo is neither queued nor running any more. */
const hasEnded = ({ status }: UndoOperation): boolean => status !== 'QUEUED' && status !== 'RUNNING'

/** An undo as it goes on, until it has ended. A look that fails is made again. */
function useUndoProgress(begun: UndoOperation): UndoOperation {
  const [operation, setOperation] = useState(begun)
  const ended = hasEnded(operation)
  useEffect(() => {
    if (ended) return
    const stale = new AbortController()
    const look = async () => {
      const found = await readUndo(begun.id, stale.signal)
      if (stale.signal.aborted || found === null) return
      setOperation(found)
      if (hasEnded(found)) refresh()
    }
    const timer = setInterval(() => {
      look().catch(() => undefined)
    }, LOOK_MS)
    return () => {
      stale.abort()
      clearInterval(timer)
    }
  }, [begun.id, ended])
  return operation
}

/** Leads to the preview of an undo of an undo. */
function TakeBack({ operation: { id, createdAt, result, status } }: { readonly operation: UndoOperation }) {
  const changedNothing = status === 'SUCCEEDED' && Number(result?.['undone'] ?? 0) === 0
  if (changedNothing) return null
  return (
    <button
      type="button"
      onClick={() =>
        setParams({
          run: null,
          operation: id,
          since: createdAt,
          agent: null,
          context: null,
          actor: null,
          everything: null,
        })
      }
    >
      Take it back …
    </button>
  )
}
