import { safeLine } from '../output/safe-text.ts'

/** An event as `tail` asks for it. */
export interface TailedEvent {
  readonly sequence: number
  readonly hash: string
  readonly type: string
  readonly recordedAt: string
  readonly memory: { readonly kind: string; readonly title: string } | null
}

/** One line: sequence, time, type, kind, title. */
export function renderEvent({ sequence, type, recordedAt, memory }: TailedEvent): string {
  const kind = memory === null ? '-' : safeLine(memory.kind.toLowerCase())
  const title = memory === null ? '(erased)' : safeLine(memory.title)
  return `${String(sequence).padStart(6)}  ${recordedAt}  ${safeLine(type).padEnd(17)}  ${kind.padEnd(8)}  ${title}`
}
