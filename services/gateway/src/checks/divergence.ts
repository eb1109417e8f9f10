import { describeDiverged } from '@daybook/projection/positions/divergence'
import { type CheckedParts, type Finding, failed, ok } from './check.ts'

/** Checks that the journals have the position of each live generation. */
export async function checkDivergence({ db }: CheckedParts): Promise<Finding> {
  return judgeDivergence(await describeDiverged(db))
}

/** Judges the diverged positions, given in words. */
export function judgeDivergence(diverged: readonly string[]): Finding {
  return diverged.length === 0
    ? ok('No projection has applied anything that the journals do not have')
    : failed(
        diverged.join('; '),
        'Start its projector, or look at its log, if it stays so; and find out what the database lost: see "When the database loses its last moments" in docs/operations.md',
      )
}
