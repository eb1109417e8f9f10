import type { WriteStream } from 'node:tty'
import { hasEnded, type Operation } from '../client/operations.ts'
import { note } from '../output/print.ts'
import { progressBar, progressLine } from './progress-line.ts'
import { createRateMeter } from './rate.ts'

/** Shows how far an operation has come on standard error, and lines that are worth reading above it. */
export interface OperationProgress {
  update(operation: Operation): void
  /** A line that stays. */
  say(message: string): void
  stop(): void
}

/** Between two lines of the same phase, where there is no terminal for a bar. */
const LINE_EVERY_MS = 5_000
/** Between two looks of the bar at the clock: the time left goes on though nothing comes. */
const REDRAW_MS = 500

/** A bar on a terminal, else a line for each phase and every few seconds. */
export async function showOperationProgress(
  stream: WriteStream,
  first: Operation,
): Promise<OperationProgress> {
  return stream.isTTY && process.env['TERM'] !== 'dumb' ? showBar(stream, first) : showLines()
}

/** The rate is that of the phase: each counts something else. */
function createMeter() {
  let meter = createRateMeter()
  let phase: string | null = null
  return {
    add(operation: Operation) {
      if (operation.phase !== phase) meter = createRateMeter()
      phase = operation.phase
      meter.add(operation.done, performance.now())
    },
    perSecond: () => meter.perSecond(performance.now()),
  }
}

function showLines(): OperationProgress {
  const meter = createMeter()
  let phase: string | null = null
  let last = 0
  return {
    update(operation) {
      meter.add(operation)
      // What came of it is printed; the line would say it twice.
      if (hasEnded(operation)) return
      if (operation.phase === phase && performance.now() - last < LINE_EVERY_MS) return
      phase = operation.phase
      last = performance.now()
      note(`${progressLine(operation, meter.perSecond())} …`)
    },
    say: note,
    stop: () => undefined,
  }
}

async function showBar(stream: WriteStream, first: Operation): Promise<OperationProgress> {
  const { default: cliProgress } = await import('cli-progress')
  const meter = createMeter()
  let shown = first
  meter.add(first)
  const bar = new cliProgress.SingleBar({
    stream,
    format: () => progressBar(shown, meter.perSecond()),
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(1, 0)
  const redrawing = setInterval(() => bar.render(), REDRAW_MS)
  return {
    update(operation) {
      shown = operation
      meter.add(operation)
      bar.render()
    },
    say(message) {
      stream.write(`\r\u001B[K${message}\n`)
      bar.render()
    },
    stop() {
      clearInterval(redrawing)
      bar.stop()
    },
  }
}
