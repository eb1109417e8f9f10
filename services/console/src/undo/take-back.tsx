import type { UndoOperation } from '../api/undo.ts'
import { setParams } from '../router/location.ts'

/** Leads to the preview of an undo of an undo. */
export function TakeBack({
  operation: { id, createdAt, result, status },
}: {
  readonly operation: UndoOperation
}) {
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
