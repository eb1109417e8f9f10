import { type Comparison, describeMoved } from './compare.ts'
import { printPeers } from './print-peers.ts'
import { printScores } from './print-scores.ts'
import { MEASURES, type MethodReport, type Report, type Summary } from './report.ts'

/** The report as tables for a terminal, one per method. */
export function printReport({ data, groups, memories, daybook, methods }: Report): string {
  const questions = methods[0]?.all.questions ?? 0
  const parts = groups === 1 ? '' : `${groups} groups, `
  const head = `${data}: ${parts}${memories} memories, ${questions} questions; ${daybook}`
  const whole = methods.filter(({ whole: of }) => of === undefined)
  return [
    head,
    printPeers(methods),
    ...whole.map(printMethod),
    printAblations(methods),
    ...whole.map(printScores),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Methods with a term left out, beside the whole ones. */
function printAblations(methods: readonly MethodReport[]): string {
  const rows = methods.flatMap((now) => {
    const before = methods.find(({ name }) => name === now.whole)
    return before === undefined ? [] : [{ now, before }]
  })
  if (rows.length === 0) return ''
  const first = Math.max(...rows.map(({ now }) => now.name.length)) + 2
  const cells = ({ now, before }: (typeof rows)[number]) =>
    MEASURES.map((one) => change(before.all.measures[one], now.all.measures[one])).join('')
  return [
    ''.padEnd(first) + MEASURES.map((measure) => measure.padStart(16)).join(''),
    ...rows.map((row) => row.now.name.padEnd(first) + cells(row)),
  ].join('\n')
}

const WIDTH = 10

function printMethod({ name, all, categories }: MethodReport): string {
  const rows = [['all', all] as const, ...Object.entries(categories)]
  const first = Math.max(name.length, ...rows.map(([category]) => category.length + 2))
  const cells = (values: readonly string[]) => values.map((value) => value.padStart(WIDTH)).join('')
  const line = ([category, summary]: readonly [string, Summary]) =>
    `  ${category}`.padEnd(first + 2) +
    cells([
      String(summary.questions),
      ...MEASURES.map((measure) => summary.measures[measure].toFixed(3)),
      `${summary.latencyMs.p50.toFixed(1)} ms`,
      `${summary.latencyMs.p95.toFixed(1)} ms`,
    ])
  return [name.padEnd(first + 2) + cells(['questions', ...MEASURES, 'p50', 'p95']), ...rows.map(line)].join(
    '\n',
  )
}

/** What rose and fell against an earlier report, by category, and which evidence left the first ten. */
export function printComparison({ before, now, lost, gained }: Comparison): string {
  const rows = ['all', ...Object.keys(now.categories)].flatMap((category) => {
    const [summary, earlier] = [summaryOf(now, category), summaryOf(before, category)]
    return summary === undefined || earlier === undefined ? [] : [{ category, summary, earlier }]
  })
  const first = Math.max(...rows.map(({ category }) => category.length)) + 4
  return [
    `${now.name} beside ${before.name} of the earlier report, ${now.all.questions} questions in both`,
    ''.padEnd(first) + MEASURES.map((measure) => measure.padStart(16)).join(''),
    ...rows.map(
      ({ category, summary, earlier }) =>
        `  ${category}`.padEnd(first) +
        MEASURES.map((measure) => change(earlier.measures[measure], summary.measures[measure])).join(''),
    ),
    `  evidence among the first ten: ${gained.length} gained, ${lost.length} lost`,
    ...lost.map((one) => `    lost: ${describeMoved(one)}`),
  ].join('\n')
}

const summaryOf = ({ all, categories }: MethodReport, category: string) =>
  category === 'all' ? all : categories[category]

function change(before: number, now: number): string {
  const difference = now - before
  const text = Math.abs(difference) < 0.0005 ? '=' : `${difference > 0 ? '+' : ''}${difference.toFixed(3)}`
  return `${now.toFixed(3)} ${text.padStart(6)}`.padStart(16)
}
