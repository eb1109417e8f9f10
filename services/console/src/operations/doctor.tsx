import { useEffect, useState } from 'preact/hooks'
import { type Check, hasEnded, type Operation, runChecks, verifyJournal } from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { Badge, type Tone } from '../components/badge.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCounted } from '../components/format.ts'
import { RunningOperation } from './generation-list.tsx'
import { type Outcome, outcomeOf } from './outcome.ts'

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

/** Checks the chain of hashes of all journals. */
export function JournalCheck({
  operations,
  onChange,
}: {
  /** Those of the type VERIFY_JOURNAL, the newest first. */
  readonly operations: readonly Operation[]
  onChange(): void
}) {
  const [failure, setFailure] = useState<unknown>(null)
  const running = operations.filter((one) => !hasEnded(one))
  const last = operations.find(({ status }) => status === 'SUCCEEDED')
  const outcome = last === undefined ? null : outcomeOf(last)
  const start = async () => {
    setFailure(null)
    try {
      await verifyJournal()
      onChange()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <section class="card projection" aria-labelledby="journal-check">
      <h3 id="journal-check">Journal</h3>
      <p class="small muted">
        The only truth, from which everything else is made. Each event holds the hash of the one before, so
        that any change shows.
      </p>
      {last !== undefined && outcome !== null && (
        <div class={`verdict ${outcome.good ? 'good' : 'bad'}`} role="status">
          <div>
            <OutcomeText outcome={outcome} />{' '}
            <span class="small muted">
              Verified <Ago moment={last.finishedAt ?? last.updatedAt} />
            </span>
          </div>
        </div>
      )}
      {running.map((one) => (
        <RunningOperation key={one.id} operation={one} onChange={onChange} />
      ))}
      {failure !== null && <ErrorNotice error={failure} />}
      <div class="actions">
        <button type="button" disabled={running.length > 0} onClick={() => void start()}>
          Verify<span class="visually-hidden"> the journal</span>
        </button>
      </div>
    </section>
  )
}

/** The most details that are listed. */
const MOST = 100

/** A result in words, with what stands behind it to be unfolded. */
export function OutcomeText({ outcome: { sentence, details } }: { readonly outcome: Outcome }) {
  if (details.length === 0) return <>{sentence}</>
  return (
    <>
      {sentence}
      <details class="outcome-details">
        <summary>
          {details.length === 1 ? 'What it is' : `What they are (${details.length.toLocaleString()})`}
        </summary>
        {/* It scrolls, also with the keyboard. */}
        <ul tabIndex={0}>
          {details.slice(0, MOST).map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
          {details.length > MOST && <li>… all of them: daybook operations show</li>}
        </ul>
      </details>
    </>
  )
}
