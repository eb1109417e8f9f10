import { age } from '@daybook/memory/age'
import { safeLine } from '@daybook/memory/safe-text'
import type { Operation } from '../client/operations.ts'
import { shorten } from '../output/shorten.ts'
import { spoken } from '../output/spoken.ts'
import { table } from '../output/table.ts'

/** Characters of an error on a terminal; `operations show` has all of it. */
const ERROR = 60

/** What the operation is doing or waiting for, or why it failed. */
function statusOf({ status, phase, error }: Operation): string {
  return shorten(safeLine(error ?? (status === 'RUNNING' ? phase : '-')), ERROR)
}

/** A table with one line per operation. */
export function operationsTable(operations: readonly Operation[], now: number): string {
  return table(
    ['operation', 'type', 'of', 'status', 'phase', 'done', 'asked for', 'by'],
    operations.map((one) => [
      safeLine(one.id),
      spoken(one.type),
      one.projection === null ? 'journal' : spoken(one.projection),
      spoken(one.status),
      statusOf(one),
      one.status === 'RUNNING' && one.total !== null && one.total > 0
        ? `${Math.floor((100 * one.done) / one.total)} %`
        : '-',
      age(one.createdAt, now),
      one.requestedBy === null ? '-' : safeLine(one.requestedBy),
    ]),
  )
}
