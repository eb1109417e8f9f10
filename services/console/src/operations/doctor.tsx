import { useEffect, useState } from 'preact/hooks'
import { type Check, runChecks } from '../api/checks.ts'
import { Badge, type Tone } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCounted } from '../components/format.ts'

const TONES: Readonly<Record<Check['status'], Tone>> = { OK: 'good', WARNING: 'warning', FAILED: 'bad' }
const WORDS: Readonly<Record<Check['status'], string>> = { OK: 'ok', WARNING: 'warning', FAILED: 'failed' }

/** The checks of `daybook doctor`: when the page opens, and whenever they are asked for. What is wrong comes first. */
export function Doctor() {
  const [checks, setChecks] = useState<readonly Check[] | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [times, setTimes] = useState(0)
  const [busy, setBusy] = useState(true)
  useEffect(() => {
    const over = new AbortController()
    setBusy(true)
    setFailure(null)
    runChecks(over.signal)
      .then(setChecks, (error) => {
        if (!over.signal.aborted) setFailure(error)
      })
      .finally(() => setBusy(over.signal.aborted))
    return () => over.abort()
  }, [times])
  const wrong = checks?.filter(({ status }) => status !== 'OK') ?? []
  const well = checks?.filter(({ status }) => status === 'OK') ?? []
  return (
    <>
      <div class="section-head">
        <h2 id="doctor">Checks</h2>
        <button type="button" disabled={busy} onClick={() => setTimes(times + 1)}>
          {busy ? 'Checking …' : 'Check again'}
        </button>
      </div>
      {failure !== null && <ErrorNotice error={failure} />}
      {checks !== null && (
        <>
          <p role="status">
            {wrong.length === 0
              ? `All ${formatCounted(checks.length, 'check')} are well.`
              : `${formatCounted(wrong.length, 'check')} of ${checks.length} found something.`}
          </p>
          {wrong.length > 0 && <CheckList checks={wrong} />}
          <details>
            <summary>What is well ({well.length})</summary>
            <CheckList checks={well} />
          </details>
        </>
      )}
    </>
  )
}

const CheckList = ({ checks }: { readonly checks: readonly Check[] }) => (
  <ul class="checks">
    {checks.map(({ name, status, message, advice }) => (
      <li key={`${name} ${message}`}>
        <span class="check-name">
          <Badge tone={TONES[status]}>{WORDS[status]}</Badge> {name}
        </span>
        <div>
          <p>{message}</p>
          {advice !== null && <p class="small muted">{advice}</p>}
        </div>
      </li>
    ))}
  </ul>
)
