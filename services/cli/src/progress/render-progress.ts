import { grouped } from '@daybook/memory/size-in-words'
import { secondsLeft } from '@daybook/runtime/rate'
import stringWidth from 'string-width'
import { duration } from '../output/duration.ts'
import { shorten } from '../output/shorten.ts'

/** The state of some work in progress. */
export interface Progress {
  /** The work's name for people: `reindex of pgvector`. */
  readonly work: string
  /** What it does now. Each phase counts something else, so rate and time left belong to the phase. */
  readonly phase: string
  readonly done: number
  /** Null if it is not known. */
  readonly total: number | null
  /** How much is done, in words. Default: `420 of 1,000` and the rate. */
  readonly amount?: string
  /** What it waits for. It replaces all amounts. */
  readonly waiting?: string | null
}

/** The most and the fewest columns of a bar. */
const [BAR, SHORT_BAR] = [24, 8]

interface Details {
  readonly amount: string[]
  readonly rate: string[]
  readonly left: string[]
}

function detailsOf({ done, total, amount, waiting }: Progress, perSecond: number | null): Details {
  if (typeof waiting === 'string') return { amount: [waiting], rate: [], left: [] }
  const left = secondsLeft(done, total, perSecond)
  const counted =
    total === null ? (done > 0 ? [grouped(done)] : []) : [`${grouped(done)} of ${grouped(total)}`]
  return {
    amount: amount === undefined ? counted : [amount],
    rate: amount !== undefined || perSecond === null || perSecond <= 0 ? [] : [`${rounded(perSecond)}/s`],
    left: left === null || done === total ? [] : [`${duration(left)} left`],
  }
}

const rounded = (rate: number) => (rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate)))

const shareOf = ({ done, total }: Progress) =>
  total === null || total <= 0 ? null : Math.min(1, Math.max(0, done / total))

/** One line without a bar: `reindex of pgvector: loading 42 % (420 of 1,000, 83/s, 7.0 s left)`. */
export function progressLine(progress: Progress, perSecond: number | null): string {
  const share = shareOf(progress)
  const percentage = share === null ? '' : ` ${Math.floor(share * 100)} %`
  const { amount, rate, left } = detailsOf(progress, perSecond)
  const more = [...amount, ...rate, ...left]
  return `${progress.work}: ${progress.phase}${percentage}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}

/**
 * One line with a bar: `loading    ██████████░░░░░░░░░░░░░░  42 %  420 of 1,000  83/s  7.0 s left`.
 * If it is too long, the bar goes first, then the rate; the time left stays.
 */
export function progressBar(
  progress: Progress,
  perSecond: number | null,
  columns = Number.POSITIVE_INFINITY,
): string {
  const share = shareOf(progress)
  const { amount, rate, left } = detailsOf(progress, perSecond)
  const percentage = share === null ? [] : [`${Math.floor(share * 100)} %`.padStart(5)]
  const line = (bar: number, speed: readonly string[]) => {
    const drawn = share === null || bar < SHORT_BAR ? [] : [barOf(share, bar)]
    const front = drawn.length > 0 ? [`${drawn} ${percentage}`] : percentage
    return [progress.phase.padEnd(10), ...front, ...amount, ...speed, ...left].join('  ')
  }
  // Text in the last column makes some terminals begin another line.
  const room = columns - 1
  const longest = stringWidth(line(BAR, rate))
  const bar = longest <= room ? BAR : BAR - (longest - room)
  return (
    [line(bar, rate), line(0, rate), line(0, [])].find((one) => stringWidth(one) <= room) ??
    shorten(line(0, []), room, columns)
  )
}

function barOf(share: number, length: number): string {
  const full = Math.floor(share * length)
  return '█'.repeat(full) + '░'.repeat(length - full)
}
