import { createRateMeter, secondsLeft } from '@daybook/runtime/rate'
import { useId, useRef, useState } from 'preact/hooks'
import { cancel, dropGeneration, type Generation, type Operation } from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { Badge, type Tone } from '../components/badge.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatBytes, formatCount, formatDuration, formatRate, formatShare } from '../components/format.ts'
import { operationName, projectionTitle } from './outcome.ts'

const TONES: Readonly<Record<Generation['status'], Tone>> = {
  LIVE: 'good',
  BUILDING: 'busy',
  FOLLOWING: 'busy',
  OLD: 'neutral',
  DROPPING: 'neutral',
}

/** A projection's generations, the newest first. An old one can be deleted. */
export function GenerationList({
  generations,
  onChange,
}: {
  readonly generations: readonly Generation[]
  onChange(): void
}) {
  const [dropping, setDropping] = useState<Generation | null>(null)
  return (
    <>
      <ul class="generations">
        {generations.map((one) => (
          <li key={one.generation}>
            <span class="generation-name">
              Generation {one.generation} <Badge tone={TONES[one.status]}>{one.status.toLowerCase()}</Badge>
            </span>
            <span class="small muted">
              {[
                one.model,
                ...(one.bytes === null ? [] : [formatBytes(one.bytes)]),
                ...(one.lag === 0 ? [] : [`${formatCount(one.lag)} behind`]),
                ...(one.parked === 0 ? [] : [`${formatCount(one.parked)} parked`]),
              ].join(' · ')}
              {' · made '}
              <Ago moment={one.createdAt} />
            </span>
            {one.status === 'OLD' && (
              <button type="button" class="quiet small" onClick={() => setDropping(one)}>
                Delete
                <span class="visually-hidden">
                  {' '}
                  generation {one.generation} of {projectionTitle(one.projection)}
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {dropping !== null && (
        <FormDialog
          title={`Delete generation ${dropping.generation} of ${projectionTitle(dropping.projection)}?`}
          action="Delete"
          dangerous
          onSubmit={async () => {
            await dropGeneration(dropping)
            onChange()
          }}
          onClose={() => setDropping(null)}
        >
          <p>It is gone for good within some seconds. A rollback to it is impossible then.</p>
        </FormDialog>
      )}
    </>
  )
}

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

/** How fast something grows, and when it will be done. */
interface ProgressRate {
  /** Null while it is not known. */
  readonly perSecond: number | null
  /** Seconds; null while it is not known. */
  readonly left: number | null
}

/**
 * Measures how fast a count grows, over the last seconds.
 * @param of what is counted: another name starts over
 * @param total null if the end is not known
 */
export function useProgressRate(of: string, done: number, total: number | null): ProgressRate {
  const measured = useRef({ of, meter: createRateMeter() })
  if (measured.current.of !== of) measured.current = { of, meter: createRateMeter() }
  const { meter } = measured.current
  const now = performance.now()
  meter.add(done, now)
  const perSecond = meter.perSecond(now)
  return { perSecond, left: secondsLeft(done, total, perSecond) }
}
