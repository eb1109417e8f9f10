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

function inWords({ status, options, result }: UndoOperation): string {
  const filter = (options['filter'] ?? {}) as Readonly<Record<string, unknown>>
  const of = [
    ...(typeof filter['agent'] === 'string' ? [`of ${filter['agent']}`] : []),
    ...(typeof filter['context'] === 'string' ? [`in ${filter['context']}`] : []),
    ...(typeof options['actor'] === 'string' ? [`with the key ${options['actor']}`] : []),
    ...(typeof options['correlationId'] === 'string' ? ['of one request or undo'] : []),
  ].join(' ')
  const outcome =
    status === 'SUCCEEDED'
      ? `${Number(result?.['undone'] ?? 0).toLocaleString()} memories undone`
      : status.toLowerCase()
  return of === '' ? outcome : `${outcome}, ${of}`
}
