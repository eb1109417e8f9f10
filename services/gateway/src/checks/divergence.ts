import { describeDiverged } from '@daybook/projection/positions/divergence'
import { type CheckedParts, type Finding, failed, ok } from './check.ts'

/** Whether each live generation is at a place that the journals have. */
export async function checkDivergence({ db }: CheckedParts): Promise<Finding> {
  return judgeDivergence(await describeDiverged(db))
}

export function judgeDivergence(diverged: readonly string[]): Finding {
  return diverged.length === 0
    ? ok('No projection has applied anything that the journals do not have')
    : failed(
        diverged.join('; '),
        'Start its projector, or look at its log, if it stays so; and find out what the database lost: see "When the database loses its last moments" in docs/operations.md',
      )
}
