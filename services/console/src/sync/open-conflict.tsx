import { type Conflict, resolveConflict } from '../api/sync.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'
import { ConflictEntry } from './conflict-entry.tsx'

/** A conflict that waits for a person, with the buttons that decide it. */
export function OpenConflict({ conflict, onChange }: { readonly conflict: Conflict; onChange(): void }) {
  const change = useChange()
  const decide = (resolution: 'MINE' | 'THEIRS') =>
    void change.run(async () => {
      await resolveConflict(conflict.id, resolution)
      onChange()
    })
  const about = <span class="visually-hidden">: {conflict.memory?.title ?? conflict.problem}</span>
  return (
    <ConflictEntry conflict={conflict}>
      {change.error !== null && <ErrorNotice error={change.error} />}
      <div class="actions">
        <button type="button" class="primary" disabled={change.busy} onClick={() => decide('MINE')}>
          Mine – make this change{about}
        </button>
        <button type="button" disabled={change.busy} onClick={() => decide('THEIRS')}>
          Theirs – leave it out{about}
        </button>
      </div>
    </ConflictEntry>
  )
}
