import { grouped } from '@daybook/memory/size-in-words'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { duration } from '../output/duration.ts'
import type { BadLine } from './entry.ts'
import type { ImportSummary } from './run-import.ts'

/** The exit code of an import. */
export function exitCodeOf({ ended, failed }: Pick<ImportSummary, 'ended' | 'failed'>): ExitCode {
  if (ended === 'interrupted') return EXIT.interrupted
  return failed > 0 ? EXIT.failed : EXIT.ok
}

/** The summary as `--json` prints it. */
export function summaryJson(summary: ImportSummary, bad: readonly BadLine[]): object {
  const { imported, revised, alreadyThere, failed, lastSequence, seconds, ended } = summary
  return {
    imported,
    revised,
    alreadyThere,
    failed,
    lastSequence,
    seconds: Number(seconds.toFixed(3)),
    perSecond: perSecond(summary),
    ended,
    badLines: bad,
  }
}

const HOW = {
  complete: 'Done',
  stopped: 'Stopped at a bad line',
  interrupted: 'Interrupted',
  failed: 'Not finished',
} as const

/** The summary in a line for people. */
export function renderSummary(summary: ImportSummary): string {
  const { imported, revised, alreadyThere, failed, lastSequence, seconds, ended } = summary
  const counts = [
    `${grouped(imported)} imported`,
    ...(revised === 0 ? [] : [`${grouped(revised)} revised`]),
    `${grouped(alreadyThere)} already there`,
    `${grouped(failed)} failed`,
  ]
  const sequence = lastSequence === 0 ? '' : `; last sequence ${lastSequence}`
  return `${HOW[ended]}: ${counts.join(', ')}, in ${duration(seconds)} (${grouped(perSecond(summary))} a second)${sequence}`
}

function perSecond({ imported, revised, alreadyThere, seconds }: ImportSummary): number {
  return Math.round((imported + revised + alreadyThere) / Math.max(seconds, 0.001))
}
