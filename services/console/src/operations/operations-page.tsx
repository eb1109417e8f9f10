import { PROJECTION_NAMES } from '@daybook/api/projection-names'
import { useEffect, useState } from 'preact/hooks'
import {
  backfill,
  hasEnded,
  type IndexState,
  listActive,
  listOperations,
  type Operation,
  type ProjectionName,
  readIndexState,
} from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { Badge, type Tone } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { formatCounted, formatDuration, formatRate } from '../components/format.ts'
import { usePolled } from '../components/hooks.ts'
import { Doctor, JournalCheck, OutcomeText } from './doctor.tsx'
import { RunningOperation, useProgressRate } from './generation-list.tsx'
import { operationName, outcomeOf, projectionTitle } from './outcome.ts'
import { ParkedEvents } from './parked-events.tsx'
import { ProjectionCard } from './projection-card.tsx'

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

/** What was asked for, with the results in words, the newest first. */
function PastOperations({ operations }: { readonly operations: readonly Operation[] }) {
  const ended = operations.filter(hasEnded)
  if (ended.length === 0) return <p class="muted">Nothing has been asked for yet.</p>
  return <DataTable label="Past operations" columns={COLUMNS} rows={ended} keyOf={({ id }) => id} />
}

const COLUMNS: readonly Column<Operation>[] = [
  { name: 'Operation', cell: operationName },
  { name: 'Ended', cell: (one) => <Ending operation={one} /> },
  { name: 'Result', cell: (one) => <OutcomeText outcome={outcomeOf(one)} /> },
  { name: 'Took', cell: tookOf },
  { name: 'Asked for', cell: ({ createdAt }) => <Ago moment={createdAt} /> },
  { name: 'By', cell: ({ requestedBy }) => requestedBy ?? '–' },
]

function Ending({ operation }: { readonly operation: Operation }) {
  const { status } = operation
  const tone: Tone =
    status === 'CANCELLED'
      ? 'neutral'
      : status === 'FAILED'
        ? 'bad'
        : outcomeOf(operation).good
          ? 'good'
          : 'warning'
  return <Badge tone={tone}>{status.toLowerCase()}</Badge>
}

function tookOf({ startedAt, finishedAt }: Operation): string {
  if (startedAt === null || finishedAt === null) return '–'
  return formatDuration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000)
}

/** How often to look at what is under way, in milliseconds: while something is, and while nothing is. */
const BUSY_MS = 500

const QUIET_MS = 3_000

/** How often to list all again, in milliseconds: whatever is seen to begin or to end does it too. */
const LIST_MS = 30_000

/** The first operations that are listed, and the most that the API lists. */
const [FIRST, MOST] = [20, 100]

/** The operations there are, whoever asked for them. */
export interface Operations {
  /** Those under way and the ended ones, the newest first; null before the first answer. */
  readonly operations: readonly Operation[] | null
  readonly running: readonly Operation[] | null
  /** Why the last look failed; null if it did not. */
  readonly error: unknown
  /** Lists older ones too; null if all are listed that can be. */
  readonly more: (() => void) | null
  /** Looks at once. */
  again(): void
}

/**
 * Looks again and again, instead of subscribing to each operation: one answer tells of all, and a lost connection needs
 * nothing more. Only those under way are looked at often: results of old ones name every project.
 */
function useOperations(): Operations {
  const [first, setFirst] = useState(FIRST)
  const active = usePolled('active', listActive, (some) => (some.length === 0 ? QUIET_MS : BUSY_MS))
  const listed = usePolled(
    `listed ${first}`,
    (signal) => listOperations(first, signal),
    (all) => (all.every(hasEnded) ? LIST_MS : BUSY_MS),
  )
  const underWay = active.answer?.map(({ id }) => id).join(' ')
  useEffect(() => listed.again(), [underWay])
  const ended = listed.answer?.filter(hasEnded) ?? null
  // The two answers are of different moments: what has ended in one may still be under way in the other.
  const running = active.answer?.filter(({ id }) => ended?.every((one) => one.id !== id)) ?? null
  return {
    operations: running === null || ended === null ? null : [...running, ...ended],
    running,
    error: active.error ?? listed.error,
    more: listed.answer?.length === first && first < MOST ? () => setFirst(MOST) : null,
    again() {
      active.again()
      listed.again()
    },
  }
}

/** The texts that wait for their vectors, and those for which that failed. */
function VectorQueue({
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
