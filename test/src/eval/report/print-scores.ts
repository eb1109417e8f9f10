import { calibrationError, relevantShare } from './reliability.ts'
import type { MethodReport } from './report.ts'
import { bestFloor } from './score-floors.ts'

/** Reliability and floors of a method's scores, as tables for a terminal; empty if neither was measured. */
export function printScores({ name, reliability, unanswerable }: MethodReport): string {
  const parts: string[] = []
  if (reliability !== undefined) {
    const bins = reliability.filter(({ hits }) => hits > 0)
    parts.push(
      [
        `${name}: scores and the share of hits that is relevant (calibration error ${calibrationError(reliability).toFixed(3)})`,
        row('score', 'hits', 'relevant', 'mean', 'share'),
        ...bins.map((bin) =>
          row(
            `${bin.from.toFixed(1)}–${bin.to.toFixed(1)}`,
            String(bin.hits),
            String(bin.relevant),
            bin.meanScore.toFixed(3),
            relevantShare(bin).toFixed(3),
          ),
        ),
      ].join('\n'),
    )
  }
  if (unanswerable !== undefined) {
    const { questions, auc, floors } = unanswerable
    const best = bestFloor(unanswerable)
    parts.push(
      [
        `${name}: a floor under the scores, ${questions} questions without an answer, AUC ${auc.toFixed(3)}`,
        row('floor', 'false +', 'hits each', 'false −', 'recall@10'),
        ...floors.map((one) =>
          row(
            `${one === best ? '* ' : ''}${one.floor.toFixed(2)}`,
            one.falsePositives.toFixed(3),
            one.wrongHits.toFixed(1),
            one.falseNegatives.toFixed(3),
            one.recall.toFixed(3),
          ),
        ),
        '  * fewest errors',
      ].join('\n'),
    )
  }
  return parts.join('\n\n')
}

const row = (...cells: readonly string[]) => `  ${cells.map((cell) => cell.padStart(11)).join('')}`
