import type { Operation } from '../client/operations.ts'
import { duration } from '../output/duration.ts'
import { safeLine } from '../output/safe-text.ts'
import { spoken } from '../output/spoken.ts'
import { secondsLeft } from './rate.ts'

/** What people call it: `reindex of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  return projection === null ? spoken(type) : `${spoken(type)} of ${spoken(projection)}`
}

const BAR = 24

type Progressing = Pick<Operation, 'type' | 'projection' | 'status' | 'phase' | 'done' | 'total' | 'error'>

/** What is between the phase and the end: how much is done, how fast, and how long it will take. */
function details({ done, total, status, error }: Progressing, perSecond: number | null): string[] {
  // Of one that is running, what it waits for.
  if (status === 'RUNNING' && error !== null) return [safeLine(error)]
  const left = secondsLeft(done, total, perSecond)
  return [
    ...(total === null ? (done > 0 ? [`${done}`] : []) : [`${done} of ${total}`]),
    ...(perSecond === null || perSecond <= 0 ? [] : [`${rounded(perSecond)}/s`]),
    ...(left === null || done === total ? [] : [`${duration(left)} left`]),
  ]
}

const rounded = (rate: number) => (rate < 10 ? rate.toFixed(1) : Math.round(rate).toString())

const share = ({ done, total }: Progressing) =>
  total === null || total <= 0 ? null : Math.min(1, Math.max(0, done / total))

/** One line without a bar: `reindex of pgvector: loading 42 % (420 of 1000, 83/s, 7.0 s left)`. */
export function progressLine(operation: Progressing, perSecond: number | null): string {
  const part = share(operation)
  const percentage = part === null ? '' : ` ${Math.floor(part * 100)} %`
  const more = details(operation, perSecond)
  return `${operationName(operation)}: ${phaseOf(operation)}${percentage}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}

/** The same for a terminal: `loading    ██████████░░░░░░░░░░░░░░  42 %  420 of 1000  83/s  7.0 s left`. */
export function progressBar(operation: Progressing, perSecond: number | null): string {
  const part = share(operation)
  const full = Math.floor((part ?? 0) * BAR)
  const bar = part === null ? [] : [`${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent(part)}`]
  return [phaseOf(operation).padEnd(10), ...bar, ...details(operation, perSecond)].join('  ')
}

const percent = (part: number) => `${Math.floor(part * 100)} %`.padStart(5)

const phaseOf = ({ phase }: Progressing) => safeLine(phase)
