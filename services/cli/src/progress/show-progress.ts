import type { WriteStream } from 'node:tty'
import { grouped } from '@daybook/memory/text-rules'
import { createRateMeter, secondsLeft } from '@daybook/runtime/rate'
import stringWidth from 'string-width'
import { duration, shorten } from '../output/print.ts'
import { columnsOf, wrap } from '../output/table.ts'

/** Shows the progress of long work, with messages above it. */
export interface ProgressDisplay {
  update(progress: Progress): void
  /** Prints a line that stays. */
  say(message: string): void
  /** Removes the bar. */
  stop(): void
}

/** How progress is shown. */
interface DisplayOptions {
  /**
   * Without a bar, nothing is printed for this long, in milliseconds: short work needs no lines. Default 0.
   */
  readonly quietMs?: number
  /** Default: standard error, because standard output is for results. */
  readonly stream?: WriteStream
  readonly clock?: Clock
}

/** Milliseconds between two lines of the same phase, without a terminal for a bar. */
const LINE_EVERY_MS = 5_000

/** Milliseconds between two redraws of the bar: the time left changes even if no news comes. */
const REDRAW_MS = 500

/**
 * Shows a bar on a terminal, else a line per phase and every few seconds. Both tell the time left once it is
 * known.
 */
export async function showProgress({
  quietMs = 0,
  stream = process.stderr,
  clock = SYSTEM_CLOCK,
}: DisplayOptions = {}): Promise<ProgressDisplay> {
  return stream.isTTY && process.env['TERM'] !== 'dumb'
    ? showBar(stream, clock)
    : showLines(stream, clock, quietMs)
}

/** Measures the rate of the current phase over the last seconds. */
function createPhaseMeter(clock: Clock) {
  let meter = createRateMeter()
  let phase: string | null = null
  return {
    add(progress: Progress) {
      if (progress.phase !== phase) meter = createRateMeter()
      phase = progress.phase
      meter.add(progress.done, clock.now())
    },
    perSecond: () => meter.perSecond(clock.now()),
  }
}

function showLines(stream: WriteStream, clock: Clock, quietMs: number): ProgressDisplay {
  const meter = createPhaseMeter(clock)
  const quietUntil = clock.now() + quietMs
  let phase: string | null = null
  let last = 0
  const say = (message: string) => void stream.write(`${message}\n`)
  return {
    update(progress) {
      meter.add(progress)
      const now = clock.now()
      if (now < quietUntil || (progress.phase === phase && now - last < LINE_EVERY_MS)) return
      phase = progress.phase
      last = now
      say(`${progressLine(progress, meter.perSecond())} …`)
    },
    say,
    stop: () => undefined,
  }
}

async function showBar(stream: WriteStream, clock: Clock): Promise<ProgressDisplay> {
  const { default: cliProgress } = await import('cli-progress')
  const meter = createPhaseMeter(clock)
  let shown: Progress | null = null
  const bar = new cliProgress.SingleBar({
    stream,
    format: () => (shown === null ? '' : progressBar(shown, meter.perSecond(), columnsOf(stream))),
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(1, 0)
  const stopRedrawing = clock.every(REDRAW_MS, () => bar.render())
  return {
    update(progress) {
      shown = progress
      meter.add(progress)
      bar.render()
    },
    say(message) {
      stream.write(`\r\u001B[K${wrap(message, columnsOf(stream))}\n`)
      bar.render()
    },
    stop() {
      stopRedrawing()
      bar.stop()
    },
  }
}

/** The clock of a progress display; tests give their own. */
export interface Clock {
  /** Milliseconds; it never goes back. */
  now(): number
  /** Calls `action` repeatedly. @returns a function that ends this */
  every(milliseconds: number, action: () => void): () => void
}

/** The machine's own clock. */
const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds)
    return () => clearInterval(timer)
  },
}

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
