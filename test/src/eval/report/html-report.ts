import type { Comparison, Moved } from './compare.ts'
import { ablation } from './html-ablation.ts'
import { reliabilityPlots, unanswerableQuestions } from './html-scores.ts'
import { change, rawTable, table, three } from './html-table.ts'
import { plotBars } from './plot-bars.ts'
import { plotLines } from './plot-lines.ts'
import {
  MEASURES,
  type Measure,
  type MethodReport,
  type PeerMeasures,
  type QuestionReport,
  type Report,
} from './report.ts'
import { STYLE } from './style.ts'
import { escaped } from './svg.ts'

/** The report as one self-contained page: plots of all methods side by side, and the numbers in tables. */
export function htmlReport(report: Report, comparisons: readonly Comparison[]): string {
  const { data, at, commit, daybook, groups, memories, methods } = report
  const facts = [
    `${groups} ${groups === 1 ? 'group' : 'groups'}, ${memories} memories, ${methods[0]?.all.questions ?? 0} questions`,
    daybook,
    commit === null ? '' : `commit ${commit}`,
    at,
  ]
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(`Evaluation: ${data}`)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(data)}</h1>
<p class="facts">${escaped(facts.filter(Boolean).join(' · '))}</p>
${[
  overview(methods),
  ablation(methods),
  plots(methods),
  reliabilityPlots(methods),
  unanswerableQuestions(methods),
  ...comparisons.map(comparison),
  ...methods.map(details),
].join('\n')}
</body>
</html>
`
}

function overview(methods: readonly MethodReport[]): string {
  const isPeers = methods.some(({ peer }) => peer !== undefined)
  const rows = methods.map(({ name, all, peer }) => [
    name,
    ...MEASURES.map((one) => three(all.measures[one])),
    ...times(all),
    ...(isPeers ? peerCells(peer) : []),
  ])
  const note =
    methods.length > 1 && !isPeers
      ? '<p class="facts">Latency: the gateway remembers the vectors of questions, so only the first method that uses vectors pays for them.</p>'
      : ''
  return `<h2>${isPeers ? 'Peers' : 'Methods'}</h2>${table(['method', ...MEASURES, 'p50 ms', 'p95 ms', ...(isPeers ? PEER_COLUMNS : [])], rows)}${note}`
}

const PEER_COLUMNS = ['findable p50 ms', 'findable p95 ms', 'memories/s stored']

function peerCells(peer: PeerMeasures | undefined): string[] {
  if (peer === undefined) return ['–', '–', '–']
  const { findableMs, storedPerSecond } = peer
  return [ms(findableMs?.p50), ms(findableMs?.p95), storedPerSecond.toFixed(0)]
}

const ms = (value: number | undefined) => value?.toFixed(1) ?? '–'

const times = ({ latencyMs: { p50, p95 } }: MethodReport['all']) => [p50.toFixed(1), p95.toFixed(1)]

function plots(methods: readonly MethodReport[]): string {
  const depths: readonly Measure[] = ['recall@5', 'recall@10', 'recall@20', 'recall@50']
  const overDepth = methods.map(({ name, all }) => ({ name, values: depths.map((one) => all.measures[one]) }))
  const categories = Object.keys(methods[0]?.categories ?? {})
  const byCategory = (measure: Measure) =>
    plotBars(
      `${measure} by category`,
      ['all', ...categories],
      methods.map(({ name, all, categories: summaries }) => ({
        name,
        values: [all, ...categories.map((one) => summaries[one])].map((one) => one?.measures[measure] ?? 0),
      })),
    )
  return [
    `<h2>Recall by depth</h2>${plotLines('recall by depth', depths, overDepth)}`,
    ...(['recall@10', 'nDCG@10', 'MRR'] as const).map(
      (measure) => `<h2>${measure}${categories.length > 0 ? ' by category' : ''}</h2>${byCategory(measure)}`,
    ),
  ].join('\n')
}

function comparison({ before, now, lost, gained }: Comparison): string {
  const categories = ['all', ...Object.keys(now.categories)]
  const of = (method: MethodReport, category: string) =>
    category === 'all' ? method.all : method.categories[category]
  const bars = plotBars(
    'recall@10, earlier and now',
    categories,
    [[`now: ${now.name}`, now] as const, [`earlier: ${before.name}`, before] as const].map(
      ([name, method]) => ({
        name,
        values: categories.map((category) => of(method, category)?.measures['recall@10'] ?? 0),
      }),
    ),
  )
  const rows = categories.map((category) => [
    category,
    ...MEASURES.map((measure) =>
      change(of(before, category)?.measures[measure] ?? 0, of(now, category)?.measures[measure] ?? 0),
    ),
  ])
  return `<h2>${escaped(`${now.name} beside the earlier ${before.name}`)}</h2>
<p class="facts">${now.all.questions} questions are in both reports.</p>
${bars}${rawTable(['', ...MEASURES], rows)}
${movedTable('Evidence that left the first ten', lost)}${movedTable('Evidence that came into the first ten', gained)}`
}

function movedTable(title: string, moved: readonly Moved[]): string {
  if (moved.length === 0) return ''
  const rows = moved.map((one) => [
    one.questionId,
    one.question,
    one.category ?? '',
    one.memory,
    String(one.before ?? '–'),
    String(one.now ?? '–'),
  ])
  return `<details open><summary>${escaped(title)}: ${moved.length}</summary>${table(['id', 'question', 'category', 'memory', 'was at', 'is at'], rows)}</details>`
}

function details({ name, all, categories, questions }: MethodReport): string {
  const rows = [['all', all] as const, ...Object.entries(categories)].map(([category, summary]) => [
    category,
    String(summary.questions),
    ...MEASURES.map((one) => three(summary.measures[one])),
    ...times(summary),
  ])
  const missed = questions.filter(({ measures }) => measures['recall@10'] < 1)
  return `<h2>${escaped(name)} by category</h2>
${table(['category', 'questions', ...MEASURES, 'p50 ms', 'p95 ms'], rows)}
<details><summary>${missed.length} questions whose evidence is not all among the first ten</summary>
${table(['id', 'question', 'category', 'recall@10', 'evidence at'], missed.map(missedRow))}</details>`
}

function missedRow({ id, question, category, measures, ranks }: QuestionReport): string[] {
  const places = Object.entries(ranks).map(([memory, rank]) => `${memory}: ${rank ?? '–'}`)
  return [id, question, category ?? '', three(measures['recall@10']), places.join(', ')]
}
