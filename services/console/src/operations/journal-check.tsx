import { useState } from 'preact/hooks'
import { hasEnded, type Operation, verifyJournal } from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { outcomeOf } from './outcome.ts'
import { OutcomeText } from './outcome-text.tsx'
import { RunningOperation } from './running-operation.tsx'

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
