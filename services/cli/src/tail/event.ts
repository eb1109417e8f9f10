import { safeLine } from '../output/safe-text.ts'
import type { TailedEvent } from './tail-documents.ts'

const WITHOUT_MEMORY: Readonly<Record<TailedEvent['status'], string>> = {
  READABLE: '',
  OPAQUE: '(written by a newer Daybook, or damaged: it cannot be read here)',
  ERASED: '(erased)',
}

/** One line: sequence, time, type, kind, title. */
export function renderEvent({ sequence, type, recordedAt, status, memory }: TailedEvent): string {
  const kind = memory === null ? '-' : safeLine(memory.kind.toLowerCase())
  const title = memory === null ? WITHOUT_MEMORY[status] : safeLine(memory.title)
  return `${String(sequence).padStart(6)}  ${recordedAt}  ${safeLine(type).padEnd(17)}  ${kind.padEnd(8)}  ${title}`
}
