import { useState } from 'preact/hooks'
import { type ErasedMemory, forget, restore } from '../api/change-memory.ts'
import type { WholeMemory } from '../api/memory.ts'
import type { Session } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'
import { EraseDialog } from './erase-dialog.tsx'

/** What can be done with a memory, as far as the key may. */
export function MemoryActions({
  memory,
  session: { scopes },
  isRevised,
  onRevise,
  onErased,
}: {
  readonly memory: WholeMemory
  readonly session: Session
  /** Whether the form is open. */
  readonly isRevised: boolean
  onRevise(): void
  onErased(erased: ErasedMemory): void
}) {
  const { busy, error, run } = useChange()
  const [asksToErase, setAsksToErase] = useState(false)
  const { id, version, forgottenAt } = memory
  if (!scopes.includes('write')) return <p class="small muted">Your key may only read.</p>
  const isAdmin = scopes.includes('admin')
  return (
    <div class="memory-actions">
      <div class="buttons">
        {forgottenAt === null ? (
          <>
            <button type="button" class="primary" disabled={isRevised} onClick={onRevise}>
              Revise
            </button>
            <button
              type="button"
              disabled={busy}
              onClick={() => void run(() => forget(id, version))}
              title="Takes it out of every search. It stays in the journal and can be brought back."
            >
              Forget
            </button>
          </>
        ) : (
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={() => void run(() => restore(id, null, version))}
          >
            Bring it back
          </button>
        )}
        <button
          type="button"
          class="danger"
          disabled={!isAdmin}
          title={isAdmin ? 'For good' : 'Erasing needs a key with the scope admin'}
          onClick={() => setAsksToErase(true)}
        >
          Erase …
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {asksToErase && (
        <EraseDialog memory={memory} onClose={() => setAsksToErase(false)} onErased={onErased} />
      )}
    </div>
  )
}
