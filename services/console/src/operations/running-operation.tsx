import { useId, useState } from 'preact/hooks'
import { cancel, type Operation } from '../api/operations.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCount, formatDuration, formatRate, formatShare } from '../components/format.ts'
import { operationName } from './operation-name.ts'
import { type ProgressRate, useProgressRate } from './use-progress-rate.ts'

/** An operation under way: what it does, how far it is, how fast, how long it will take, and a button that ends it. */
export function RunningOperation({
  operation,
  onChange,
}: {
  readonly operation: Operation
  onChange(): void
}) {
  const { id, type, phase, done, total, status, cancelRequested } = operation
  const [asked, setAsked] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const label = useId()
  // Each phase counts something else.
  const rate = useProgressRate(`${id} ${phase}`, done, total)
  const ending = asked || cancelRequested
  const end = async () => {
    setAsked(true)
    setFailure(null)
    try {
      await cancel(id)
      onChange()
    } catch (error) {
      setFailure(error)
      setAsked(false)
    }
  }
  return (
    <div class="running">
      <p class="running-name">
        <strong id={label}>{operationName(operation)}</strong>
        {/* Only the phase is announced: numbers that change twice a second would never end. */}
        <span role="status">{ending ? 'is being cancelled' : status === 'QUEUED' ? 'is queued' : phase}</span>
      </p>
      <progress
        aria-labelledby={label}
        {...(total === null || total === 0 ? {} : { value: done, max: total })}
      />
      <div class="section-head small">
        <span>{amounts(operation, rate)}</span>
        {type !== 'DELETE_PROJECT' && (
          <button type="button" class="quiet" disabled={ending} onClick={() => void end()}>
            Cancel
          </button>
        )}
      </div>
      {failure !== null && <ErrorNotice error={failure} />}
    </div>
  )
}

/** While it runs, its `error` says what it waits for. */
function amounts({ done, total, error, status }: Operation, { perSecond, left }: ProgressRate): string {
  if (error !== null) return error
  if (status === 'QUEUED') return 'Waiting for a process that takes it'
  const parts = [
    ...(total === null || total === 0
      ? done === 0
        ? []
        : [formatCount(done)]
      : [formatShare(done / total), `${formatCount(done)} of ${formatCount(total)}`]),
    ...(perSecond === null || perSecond <= 0 ? [] : [formatRate(perSecond)]),
    ...(left === null || done === total ? [] : [`${formatDuration(left)} left`]),
  ]
  return parts.join(' · ')
}
