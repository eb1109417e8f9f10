import { useState } from 'preact/hooks'
import { backfill, type ProjectionName } from '../api/operations.ts'
import type { IndexState } from '../api/projections.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCounted, formatRate } from '../components/format.ts'
import { projectionTitle } from './operation-name.ts'
import { useProgressRate } from './use-progress-rate.ts'

/** The texts that wait for their vectors, and those for which that failed. */
export function VectorQueue({
  system: { queuedTexts, failedTexts },
  projections,
  busy,
  onStarted,
}: {
  readonly system: IndexState['system']
  readonly projections: readonly ProjectionName[]
  busy(projection: ProjectionName): boolean
  onStarted(): void
}) {
  const [failure, setFailure] = useState<unknown>(null)
  // The queue shrinks, and a meter counts upwards.
  const { perSecond } = useProgressRate('vectors', -queuedTexts, null)
  const start = async (projection: ProjectionName) => {
    setFailure(null)
    try {
      await backfill(projection)
      onStarted()
    } catch (error) {
      setFailure(error)
    }
  }
  return (
    <>
      <p>
        {queuedTexts === 0
          ? 'Every text has its vectors.'
          : `${formatCounted(queuedTexts, 'text')} ${queuedTexts === 1 ? 'waits' : 'wait'} for vectors; searches find ${queuedTexts === 1 ? 'it' : 'them'} by words meanwhile.`}
        {queuedTexts > 0 && perSecond !== null && perSecond > 0 && ` ${formatRate(perSecond)}.`}
      </p>
      {failedTexts > 0 && (
        <p class="wrong">
          {formatCounted(failedTexts, 'text')} failed at the last try, and {failedTexts === 1 ? 'is' : 'are'}{' '}
          tried again, less and less often. The checks below say why.
        </p>
      )}
      {failure !== null && <ErrorNotice error={failure} />}
      <div class="actions">
        {projections.map((name) => (
          <button key={name} type="button" disabled={busy(name)} onClick={() => void start(name)}>
            Make what {projectionTitle(name)} lacks now
          </button>
        ))}
      </div>
    </>
  )
}
