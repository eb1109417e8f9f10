import { useEffect, useState } from 'preact/hooks'
import { type Counts, readNewest } from '../api/search.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { moveInList } from '../components/format.ts'
import { useLatest, useRefreshes, useUntilShared } from '../components/hooks.ts'
import { setParams } from '../router/location.ts'
import { MemoryLine } from './memory-line.tsx'
import { Panes, useLiveRefresh } from './results.tsx'
import { filterOf, LIMITS, type SearchSettings } from './settings.ts'

/** What the page shows before anything is searched for: the newest memories that match the filters. */
export function NewestMemories({
  settings,
  onCounts,
}: {
  readonly settings: SearchSettings
  onCounts(counts: Counts): void
}) {
  const [again, setAgain] = useState(0)
  const refreshes = useRefreshes()
  useLiveRefresh(settings.asOf === null)
  const request = { filter: filterOf(settings), first: settings.limit, asOf: settings.asOf }
  const { answer, error } = useLatest(
    JSON.stringify(request),
    (signal) => readNewest(request, signal),
    again + refreshes,
  )
  useUntilShared(settings.asOf === null ? (answer?.memories ?? []) : [])
  const counts = answer?.counts
  useEffect(() => {
    if (counts !== undefined) onCounts(counts)
  }, [counts])
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />
  if (answer === null) return <p class="loading">Loading …</p>
  const all = answer.counts.memories
  const next = LIMITS.find((limit) => limit > settings.limit)
  return (
    <Panes memories={answer.memories} settings={settings}>
      {(chosen) => (
        <>
          <p class="small muted" role="status">
            {all.toLocaleString()} {all === 1 ? 'memory' : 'memories'}, the newest first
          </p>
          <ol class="hits" aria-label="Newest memories" onKeyDown={moveInList}>
            {answer.memories.map((memory) => (
              <li key={memory.id} class="hit">
                <MemoryLine memory={memory} asOf={settings.asOf} chosen={chosen} />
              </li>
            ))}
          </ol>
          {answer.memories.length === settings.limit && next !== undefined && (
            <button type="button" onClick={() => setParams({ limit: String(next) }, { replace: true })}>
              Show up to {next}
            </button>
          )}
        </>
      )}
    </Panes>
  )
}
