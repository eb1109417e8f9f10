import { useState } from 'preact/hooks'
import type { ErasedMemory } from '../api/change-memory.ts'
import { readMemory } from '../api/memory.ts'
import { useRefreshes } from '../api/refresh.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { useLatest } from '../components/use-latest.ts'
import { useUntilShared } from '../components/use-until-shared.ts'
import type { PageProps } from '../shell/page.ts'
import { ErasedNotice } from './erased-notice.tsx'
import { MemoryView } from './memory-view.tsx'
import { useLiveMemory } from './use-live-memory.ts'

/** One memory: what it says, who wrote it, what happened to it, and what stands beside it. */
export default function MemoryPage({ session, rest: id }: PageProps) {
  // Another memory is another page: nothing that was typed or opened stays.
  return id === '' ? (
    <p class="notice">Which memory? Open one from the search or the journal.</p>
  ) : (
    <OneMemory key={id} id={id} session={session} />
  )
}

function OneMemory({ id, session }: { readonly id: string; readonly session: PageProps['session'] }) {
  const [tries, setTries] = useState(0)
  const [erased, setErased] = useState<ErasedMemory | null>(null)
  const refreshes = useRefreshes()
  const changedAt = useLiveMemory(id)
  const { answer, answeredKey, error } = useLatest(
    id,
    async (signal) => ({ memory: await readMemory(id, changedAt, signal) }),
    tries + refreshes + (changedAt ?? 0),
  )
  useUntilShared(answer?.memory == null ? [] : [answer.memory])
  if (erased !== null) return <ErasedNotice erased={erased} />
  if (error !== null && answer === null)
    return <ErrorNotice error={error} onRetry={() => setTries(tries + 1)} />
  if (answer === null || answeredKey !== id) return <p class="loading">Loading …</p>
  if (answer.memory === null)
    return (
      <p class="notice">
        This project has no memory <code>{id}</code>. It may be in another project, or erased.
      </p>
    )
  return <MemoryView memory={answer.memory} session={session} onErased={setErased} />
}
