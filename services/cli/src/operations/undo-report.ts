import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import type { UndoResult } from '@daybook/operations/operation-types'
import type { Operation } from '../client/operations.ts'
import type { ReportOptions } from './verify-report.ts'

/** What an undo did, what it refused, and how to take it back. */
export function undone(
  id: string,
  { undone: changed, unchanged, refused, refusals }: UndoResult,
  { named, seeAll }: ReportOptions,
): string[] {
  const shown = refusals.slice(0, named)
  return [
    `Memories undone: ${grouped(changed)}; as they should be already: ${grouped(unchanged)}; refused: ${grouped(refused)}.`,
    ...shown.map(
      ({ memoryId, title, reason }) =>
        `  ${safeLine(title ?? '(erased)')}  ${safeLine(memoryId)}: ${safeLine(reason)}`,
    ),
    ...(shown.length < refused ? [`All refused ones:  ${seeAll}`] : []),
    ...(changed > 0 ? [takeBack(id)] : []),
  ]
}

/** An undo that was cancelled: what it had undone stays undone. */
export function cancelledUndo({ id, done, total }: Operation): string {
  return [
    `The undo was cancelled after ${grouped(done)}${total === null ? '' : ` of ${grouped(total)}`}. What it had done stays.`,
    takeBack(id),
  ].join('\n')
}

const takeBack = (id: string) => `Take it back:  daybook undo --operation ${safeLine(id)}`
