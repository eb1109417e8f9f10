import type { WriteStream } from 'node:tty'
import { createRateMeter } from '@daybook/runtime/rate'
import { columnsOf } from '../output/columns.ts'
import { wrap } from '../output/wrap.ts'
import { type Clock, SYSTEM_CLOCK } from './clock.ts'
import { type Progress, progressBar, progressLine } from './render-progress.ts'

/** Shows the progress of long work, with messages above it. */
export interface ProgressDisplay {
  update(progress: Progress): void
  /** Prints a line that stays. */
  say(message: string): void
  /** Removes the bar. */
  stop(): void
}

/** How progress is shown. */
export interface DisplayOptions {
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
