import { useState } from 'preact/hooks'
import { readDiff } from '../api/version-diff.ts'
import { ErrorNotice } from './error-notice.tsx'
import { StateChanges } from './state-changes.tsx'
import { useLatest } from './use-latest.ts'

/** What a version changed against another one, by words; fields that are no part of the text by their values. */
export function VersionChanges({
  id,
  version,
  from = version - 1,
}: {
  readonly id: string
  readonly version: number
  /** Default: the version before it. */
  readonly from?: number
}) {
  const [again, setAgain] = useState(0)
  const { answer, error } = useLatest(
    `${id} ${from} ${version}`,
    async (signal) => ({ diff: await readDiff(id, { from, to: version }, signal) }),
    again,
  )
  if (error !== null) return <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />
  const diff = answer?.diff
  return diff == null ? <p class="small muted">Loading …</p> : <StateChanges diff={diff} />
}
