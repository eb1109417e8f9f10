import { readUndos, type UndoOperation } from '../api/undo.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useLatest } from '../components/use-latest.ts'
import { TakeBack } from './take-back.tsx'
import { hasEnded } from './use-undo-progress.ts'

/** The last undos, each of which can be taken back. */
export function EarlierUndos() {
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
