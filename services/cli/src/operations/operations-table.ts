import type { Operation } from '../client/operations.ts'
import { age } from '../output/age.ts'
import { safeLine } from '../output/safe-text.ts'
import { table } from '../output/table.ts'

/** One line an operation. */
export function operationsTable(operations: readonly Operation[], now: number): string {
  return table(
    ['operation', 'type', 'of', 'status', 'phase', 'done', 'asked for', 'by'],
    operations.map((one) => [
      safeLine(one.id),
      safeLine(one.type),
      one.projection === null ? 'journal' : safeLine(one.projection),
      safeLine(one.status),
      one.status === 'running' ? safeLine(one.error ?? one.phase) : '-',
      one.status === 'running' && one.total !== null && one.total > 0
        ? `${Math.floor((100 * one.done) / one.total)} %`
        : '-',
      age(one.createdAt, now),
      one.requestedBy === null ? '-' : safeLine(one.requestedBy),
    ]),
  )
}
