import { hasEnded, type Operation } from '../api/operations.ts'
import { Ago } from '../components/ago.tsx'
import { Badge, type Tone } from '../components/badge.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { formatDuration } from '../components/format.ts'
import { operationName } from './operation-name.ts'
import { outcomeOf } from './outcome.ts'
import { OutcomeText } from './outcome-text.tsx'

/** What was asked for, with the results in words, the newest first. */
export function PastOperations({ operations }: { readonly operations: readonly Operation[] }) {
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
