import { safeLine } from '../output/safe-text.ts'

/** An event as `tail` asks for it. */
export interface TailedEvent {
  readonly sequence: number
  readonly hash: string
  readonly type: string
  readonly recordedAt: string
  readonly status: EventStatus
  readonly memory: { readonly kind: string; readonly title: string } | null
}

/** Whether the daemon has what the event once said. */
export type EventStatus = 'READABLE' | 'OPAQUE' | 'ERASED'

const WITHOUT_MEMORY: Readonly<Record<EventStatus, string>> = {
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
