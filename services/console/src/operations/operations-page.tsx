import { PROJECTION_NAMES } from '@daybook/api/projection-names'
import { useEffect } from 'preact/hooks'
import type { ProjectionName } from '../api/operations.ts'
import { readIndexState } from '../api/projections.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCounted } from '../components/format.ts'
import { usePolled } from '../components/use-polled.ts'
import { Doctor } from './doctor.tsx'
import { JournalCheck } from './journal-check.tsx'
import { ParkedEvents } from './parked-events.tsx'
import { PastOperations } from './past-operations.tsx'
import { ProjectionCard } from './projection-card.tsx'
import { RunningOperation } from './running-operation.tsx'
import { useOperations } from './use-operations.ts'
import { VectorQueue } from './vector-queue.tsx'

/** How often to look how far the projections are, in milliseconds. */
const STATE_MS = 2_000
/** Whether the indexes are true and up to date, and the work on them. */
export default function OperationsPage() {
  const state = usePolled('state', readIndexState, () => STATE_MS)
  const work = useOperations()
  const { operations, running } = work
  // What has ended may have changed the generations.
  useEffect(() => state.again(), [running?.length])
  const changed = () => {
    work.again()
    state.again()
  }
  const error = state.error ?? work.error
  if (state.answer === null || operations === null || running === null)
    return error === null ? <p class="loading">Loading …</p> : <ErrorNotice error={error} onRetry={changed} />
  const { projections, generations, system } = state.answer
  const names = PROJECTION_NAMES.filter((name) => generations.some(({ projection }) => projection === name))
  const busy = (name: ProjectionName) => running.some(({ projection }) => projection === name)
  // Those of a projection and of the journal are shown there.
  const others = running.filter(({ projection, type }) => projection === null && type !== 'VERIFY_JOURNAL')
  return (
    <div class="page operations-page">
      <div class="section-head">
        <h1>Operations</h1>
        <p class="muted small">
          {formatCounted(system.memories, 'memory', 'memories')} from {formatCounted(system.events, 'event')}{' '}
          in {formatCounted(system.projects, 'project')}
        </p>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      <section class="projections" aria-label="Indexes and journal">
        {names.map((name) => (
          <ProjectionCard
            key={name}
            name={name}
            progress={projections.find((one) => one.name === name.toLowerCase()) ?? null}
            generations={generations.filter(({ projection }) => projection === name)}
            operations={operations.filter(({ projection }) => projection === name)}
            onChange={changed}
          />
        ))}
        <JournalCheck
          operations={operations.filter(({ type }) => type === 'VERIFY_JOURNAL')}
          onChange={changed}
        />
      </section>
      {others.length > 0 && (
        <section class="card stack" aria-labelledby="under-way">
          <h2 id="under-way">Under way</h2>
          {others.map((one) => (
            <RunningOperation key={one.id} operation={one} onChange={changed} />
          ))}
        </section>
      )}
      <section class="card stack" aria-labelledby="parked">
        <h2 id="parked">Parked events</h2>
        <ParkedEvents projections={names} underWay={running.length} busy={busy} onStarted={changed} />
      </section>
      <section class="card stack" aria-labelledby="vectors">
        <h2 id="vectors">Vectors</h2>
        <VectorQueue system={system} projections={names} busy={busy} onStarted={changed} />
      </section>
      <section class="card stack" aria-labelledby="doctor">
        <Doctor />
      </section>
      <section class="card stack" aria-labelledby="past">
        <h2 id="past">Past operations</h2>
        <PastOperations operations={operations} />
        {work.more !== null && (
          <button type="button" class="more" onClick={work.more}>
            Show older ones
          </button>
        )}
      </section>
    </div>
  )
}
