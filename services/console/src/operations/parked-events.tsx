import { useEffect, useState } from 'preact/hooks'
import {
  dropParked,
  listParked,
  type Operation,
  type ParkedEvent,
  type ProjectionName,
  retryParked,
} from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { Badge } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { FormDialog } from '../components/dialog.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { eventWord, formatCount } from '../components/format.ts'
import { usePolled } from '../components/hooks.ts'
import { projectionTitle } from './outcome.ts'

/** How often to look, in milliseconds: they are rare. */
const PAUSE_MS = 5_000

/** The events that projections could not apply, with the reasons, to be tried again or skipped. */
export function ParkedEvents({
  projections,
  underWay,
  busy,
  onStarted,
}: {
  readonly projections: readonly ProjectionName[]
  /** How many operations there are: one that has ended may have applied some. */
  readonly underWay: number
  /** Whether another operation is at work on a projection. */
  busy(projection: ProjectionName): boolean
  onStarted(operation: Operation): void
}) {
  const [dropping, setDropping] = useState<ParkedEvent | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const { answer, error, again } = usePolled(
    `parked ${projections.join(' ')}`,
    async (signal) => (await Promise.all(projections.map((one) => listParked(one, signal)))).flat(),
    () => PAUSE_MS,
  )
  useEffect(again, [underWay])
  const retry = async (of: Parameters<typeof retryParked>[0]) => {
    setFailure(null)
    try {
      onStarted(await retryParked(of))
      again()
    } catch (problem) {
      setFailure(problem)
    }
  }
  if (answer === null) return error === null ? <p class="muted">Loading …</p> : <ErrorNotice error={error} />
  const waiting = projections.filter((name) =>
    answer.some(({ projection, droppedAt }) => projection === name && droppedAt === null),
  )
  const columns: readonly Column<ParkedEvent>[] = [
    { name: 'Event', cell: (one) => <EventText parked={one} /> },
    { name: 'In', cell: ({ projection, project }) => `${project}, ${projectionTitle(projection)}` },
    { name: 'Reason', cell: ({ error: reason }) => <span class="reason">{reason}</span> },
    { name: 'Tries', numeric: true, cell: ({ attempts }) => formatCount(attempts) },
    { name: 'Parked', cell: ({ parkedAt }) => <Ago moment={parkedAt} /> },
    {
      name: 'What to do',
      quiet: true,
      cell: (one) => (
        <div class="actions">
          <button
            type="button"
            disabled={busy(one.projection)}
            onClick={() =>
              void retry({ projection: one.projection, project: one.projectId, memoryIds: [one.memoryId] })
            }
          >
            {one.droppedAt === null ? 'Retry' : 'Retry what waits behind it'}
          </button>
          {one.droppedAt === null && (
            <button type="button" class="danger" onClick={() => setDropping(one)}>
              Drop …
            </button>
          )}
        </div>
      ),
    },
  ]
  return (
    <>
      {answer.length === 0 ? (
        <p class="muted">No event is parked: everything that was written could be applied.</p>
      ) : (
        <>
          <p>
            These events could not be applied after several tries. Later events of the same memory wait behind
            them; all else goes on.
          </p>
          <DataTable
            label="Parked events"
            columns={columns}
            rows={answer}
            keyOf={({ projection, projectId, sequence }) => `${projection} ${projectId} ${sequence}`}
          />
          <div class="actions">
            {waiting.map((projection) => (
              <button
                key={projection}
                type="button"
                disabled={busy(projection)}
                onClick={() => void retry({ projection })}
              >
                Retry all of {projectionTitle(projection)}
              </button>
            ))}
          </div>
        </>
      )}
      {failure !== null && <ErrorNotice error={failure} />}
      {dropping !== null && (
        <FormDialog
          title={`Drop event ${dropping.sequence} of ${dropping.project}?`}
          action="Drop"
          dangerous
          onSubmit={async () => {
            await dropParked(dropping)
            again()
          }}
          onClose={() => setDropping(null)}
        >
          <p>
            {projectionTitle(dropping.projection)} shows the memory without this event from then on. The
            journal keeps the event, and a rebuild tries it again.
          </p>
          <p class="reason">{dropping.error}</p>
        </FormDialog>
      )}
    </>
  )
}

function EventText({ parked: { sequence, memoryId, event, droppedAt } }: { readonly parked: ParkedEvent }) {
  const memory = event?.memory ?? null
  return (
    <>
      {memory === null ? <code>{memoryId}</code> : memory.title}
      {droppedAt !== null && (
        <>
          {' '}
          <Badge tone="neutral">dropped</Badge>
        </>
      )}
      <span class="small muted block">
        Event {formatCount(sequence)}
        {event !== null && `: ${eventWord(event.type)}, version ${event.version}`}
        {memory !== null && `, ${memory.kind.toLowerCase()}`}
      </span>
    </>
  )
}
