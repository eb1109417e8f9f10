import { safeLine } from '@daybook/memory/safe-text'
import { outputColumns } from '../output/columns.ts'
import { wrapBehind } from '../output/wrap.ts'
import type { TailedEvent } from './tail-documents.ts'

const WITHOUT_MEMORY: Readonly<Record<TailedEvent['status'], string>> = {
  READABLE: '',
  OPAQUE: '(written by a newer Daybook, or damaged: it cannot be read here)',
  ERASED: '(erased)',
  QUARANTINED: '(its writer is in quarantine)',
}

/** The fewest columns for a title beside the fields before it. */
const TITLE = 24

/** One line: sequence, time, type, kind, title. In a narrow terminal the last two stand below the others. */
export function renderEvent(
  { sequence, type, recordedAt, status, memory }: TailedEvent,
  columns = outputColumns(),
): string {
  const kind = memory === null ? '-' : safeLine(memory.kind.toLowerCase())
  const title = memory === null ? WITHOUT_MEMORY[status] : safeLine(memory.title)
  const happened = `${String(sequence).padStart(6)}  ${recordedAt}  ${safeLine(type).padEnd(17)}  `
  const what = `${kind.padEnd(8)}  `
  return happened.length + what.length + TITLE <= columns
    ? wrapBehind(happened + what, title, columns)
    : `${happened.trimEnd()}\n${wrapBehind(`        ${what}`, title, columns)}`
}
