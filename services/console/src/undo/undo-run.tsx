import type { UndoOperation } from '../api/undo.ts'
import { setParams } from '../router/location.ts'
import { TakeBack } from './take-back.tsx'
import { hasEnded, useUndoProgress } from './use-undo-progress.ts'

/** An undo at work, and what it came to. */
export function UndoRun({ begun }: { readonly begun: UndoOperation }) {
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
          <button type="button" onClick={anew}>
            Undo something else
          </button>
        </div>
      )}
    </section>
  )
}

/** Back to the empty form. */
const anew = (): void =>
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
