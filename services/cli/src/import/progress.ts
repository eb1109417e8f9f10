import type { WriteStream } from 'node:tty'
import { note } from '../output/print.ts'

/** How far an import has come. */
export interface Counts {
  readonly imported: number
  readonly alreadyThere: number
  readonly failed: number
}

/** Shows an import's progress on standard error, and lines that are worth reading above it. */
export interface Progress {
  update(counts: Counts, readBytes: number): void
  /** A line that stays. */
  say(message: string): void
  stop(): void
}

/** Between two lines, where there is no terminal for a bar. */
const LINE_EVERY_MS = 5_000

function describe({ imported, alreadyThere, failed }: Counts): string {
  return [
    `${imported} imported`,
    ...(alreadyThere > 0 ? [`${alreadyThere} already there`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ')
}

/** A bar on a terminal where the size is known, else a line every few seconds. */
export async function startProgress(stream: WriteStream, totalBytes: number | null): Promise<Progress> {
  return stream.isTTY && totalBytes !== null && totalBytes > 0
    ? startBar(stream, totalBytes)
    : startLines(totalBytes)
}

function startLines(totalBytes: number | null): Progress {
  let last = performance.now()
  return {
    update(counts, readBytes) {
      if (performance.now() - last < LINE_EVERY_MS) return
      last = performance.now()
      const share = totalBytes ? ` (${Math.floor((100 * readBytes) / totalBytes)} %)` : ''
      note(`${describe(counts)}${share} …`)
    },
    say: note,
    stop: () => undefined,
  }
}

async function startBar(stream: WriteStream, totalBytes: number): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress')
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{bar} {percentage} %  {counts}  {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  bar.start(totalBytes, 0, { counts: '' })
  return {
    update: (counts, readBytes) => bar.update(readBytes, { counts: describe(counts) }),
    say(message) {
      stream.write(`\r\u001B[K${message}\n`)
      bar.render()
    },
    stop: () => bar.stop(),
  }
}
