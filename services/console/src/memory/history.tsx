import { useEffect, useState } from 'preact/hooks'
import { restore } from '../api/change-memory.ts'
import type { WholeMemory } from '../api/memory.ts'
import { HISTORY_PAGE, type HistoryEvent, readHistory } from '../api/memory-history.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useChange } from '../components/use-change.ts'
import { VersionEntry } from './version-entry.tsx'

/** What happened to the memory, the newest first, with what each version changed. */
export function History({
  memory: { id, version },
  canWrite,
}: {
  readonly memory: WholeMemory
  readonly canWrite: boolean
}) {
  const [events, setEvents] = useState<readonly HistoryEvent[]>([])
  // How far back it was asked for; new versions come on top.
  const [pages, setPages] = useState(1)
  const [error, setError] = useState<unknown>(null)
  const [tries, setTries] = useState(0)
  const change = useChange()
  useEffect(() => {
    const stale = new AbortController()
    const look = async () => {
      const found: HistoryEvent[] = []
      for (let page = 0; page < pages && version > page * HISTORY_PAGE; page += 1)
        found.push(...(await readHistory(id, version - page * HISTORY_PAGE, stale.signal)))
      setEvents(found)
      setError(null)
    }
    look().catch((failure: unknown) => {
      if (!stale.signal.aborted) setError(failure)
    })
    return () => stale.abort()
  }, [id, version, pages, tries])
  const oldest = events.at(-1)?.version ?? 1
  return (
    <section class="history" aria-label="History">
      <h2>History</h2>
      {error !== null && <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />}
      {change.error !== null && <ErrorNotice error={change.error} />}
      <ol class="timeline">
        {events.map((event, index) => (
          <VersionEntry
            key={event.version}
            id={id}
            event={event}
            // The last change is what most people come for.
            opened={index === 0}
            onRestore={
              canWrite && event.version !== version && hasContent(event)
                ? () => void change.run(() => restore(id, event.version, version))
                : null
            }
          />
        ))}
      </ol>
      {oldest > 1 && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Show older versions ({(oldest - 1).toLocaleString()})
        </button>
      )}
    </section>
  )
}

/** Whether one can go back to it. */
const hasContent = ({ status, type }: HistoryEvent): boolean =>
  status === 'READABLE' && type !== 'MemoryForgotten' && type !== 'MemoryExpired'
