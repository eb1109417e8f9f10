import { useState } from 'preact/hooks'
import { CONFLICTS_PAGE, type Conflict, listConflictsAfter } from '../api/sync.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'
import { ConflictEntry } from './conflict-entry.tsx'

const DECIDED: Readonly<Record<NonNullable<Conflict['resolution']>, string>> = {
  LATEST_WINS: 'Made on top by the rule “the latest wins”',
  MINE: 'Made on top',
  THEIRS: 'Left out',
}

/** The conflicts that are decided, by the rule or by a person, the oldest first. They are read when they are asked for. */
export function DecidedConflicts() {
  const [read, setRead] = useState<readonly Conflict[]>([])
  const [more, setMore] = useState(true)
  const change = useChange()
  const next = () =>
    change.run(async () => {
      const page = await listConflictsAfter(read.at(-1)?.id ?? null)
      setRead([...read, ...page])
      setMore(page.length === CONFLICTS_PAGE)
    })
  const decided = read.filter(({ resolution }) => resolution !== null)
  return (
    <details
      class="decided"
      onToggle={(event) => {
        if (event.currentTarget.open && read.length === 0) void next()
      }}
    >
      <summary>Those that are decided</summary>
      {change.error !== null && <ErrorNotice error={change.error} onRetry={() => void next()} />}
      {decided.length === 0 && !more && <p class="muted">No conflict has been decided yet.</p>}
      <ol class="conflicts" aria-label="Decided conflicts">
        {decided.map((one) => (
          <li key={one.id}>
            <ConflictEntry conflict={one}>
              <p class="small">
                {one.resolution !== null && DECIDED[one.resolution]}
                {one.resolvedBy !== null && ` by ${one.resolvedBy}`}
                {one.resolvedAt !== null && (
                  <>
                    , <Ago moment={one.resolvedAt} />
                  </>
                )}
              </p>
            </ConflictEntry>
          </li>
        ))}
      </ol>
      {more && read.length > 0 && (
        <button type="button" class="more" disabled={change.busy} onClick={() => void next()}>
          Show later ones
        </button>
      )}
    </details>
  )
}
