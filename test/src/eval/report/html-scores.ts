import { table, three } from './html-table.ts'
import { plotLines } from './plot-lines.ts'
import { plotReliability } from './plot-reliability.ts'
import { calibrationError, relevantShare } from './reliability.ts'
import type { MethodReport } from './report.ts'
import { bestFloor } from './score-floors.ts'
import { escaped } from './svg.ts'

/** For each method: the hits' scores beside the share of them that is relevant. */
export function reliabilityPlots(methods: readonly MethodReport[]): string {
  const known = methods.flatMap(({ name, reliability }) =>
    reliability === undefined ? [] : { name, reliability },
  )
  if (known.length === 0) return ''
  const plots = known.map(({ name, reliability }) => {
    const rows = reliability.map((bin) => [
      `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`,
      String(bin.hits),
      String(bin.relevant),
      three(bin.meanScore),
      three(relevantShare(bin)),
    ])
    return `<h3>${escaped(name)}: calibration error ${three(calibrationError(reliability))}</h3>
${plotReliability(`reliability of ${name}`, reliability)}
<details><summary>in numbers</summary>${table(['score', 'hits', 'relevant', 'mean score', 'share relevant'], rows)}</details>`
  })
  return `<h2>Reliability of the scores</h2>
<p class="facts">Every hit of every question. On the line, a score is the probability that the hit is relevant. A memory that nobody judged counts as not relevant.</p>
${plots.join('\n')}`
}

/** What a floor under the scores would cut from questions with and without an answer. */
export function unanswerableQuestions(methods: readonly MethodReport[]): string {
  const parts = methods.flatMap(({ name, unanswerable }) => {
    if (unanswerable === undefined) return []
    const { floors, auc, questions } = unanswerable
    const best = bestFloor(unanswerable)
    const lines = [
      { name: 'false positives', values: floors.map(({ falsePositives }) => falsePositives) },
      { name: 'false negatives', values: floors.map(({ falseNegatives }) => falseNegatives) },
    ]
    const labels = floors.map(({ floor }) => floor.toFixed(2))
    const rows = floors.map((one) => [
      one.floor.toFixed(2),
      three(one.falsePositives),
      one.wrongHits.toFixed(1),
      three(one.falseNegatives),
      three(one.recall),
    ])
    return `<h3>${escaped(name)}: ${questions} questions without an answer, AUC ${three(auc)}, fewest errors at ${best?.floor.toFixed(2) ?? '–'}</h3>
${plotLines(`errors of ${name} by floor`, labels, lines)}
<details><summary>in numbers</summary>${table(['floor', 'false positives', 'hits each', 'false negatives', 'recall@10'], rows)}</details>`
  })
  if (parts.length === 0) return ''
  return `<h2>Questions without an answer</h2>
<p class="facts">If hits below a floor are left out. False positives: questions without an answer that still get a hit. False negatives: questions with an answer that get no relevant hit among the first ten. AUC: how often the best hit of a question with an answer scores higher than that of one without.</p>
${parts.join('\n')}`
}
