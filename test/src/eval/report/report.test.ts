import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { belowGates } from '../gates.ts'
import { compare } from './compare.ts'
import { htmlReport } from './html-report.ts'
import { printComparison, printReport } from './print-report.ts'
import { reliability } from './reliability.ts'
import { type MethodReport, type Report, reportMethod, reportQuestion } from './report.ts'
import { scoreFloors } from './score-floors.ts'
import { readReport, writeReport } from './write-report.ts'

/** Two questions; `a` answers the first, `b` and `c` the second. */
function reportOf(name: string, first: readonly string[], second: readonly string[]): Report {
  const questions = [
    reportQuestion(
      { id: 'q1', text: 'first <b>?', category: 'names', relevant: new Map([['a', 1]]) },
      { found: first, ms: 10 },
    ),
    reportQuestion(
      {
        id: 'q2',
        text: 'second?',
        category: 'dates',
        relevant: new Map([
          ['b', 1],
          ['c', 1],
        ]),
      },
      { found: second, ms: 30 },
    ),
  ]
  return {
    version: 1,
    data: 'tiny',
    at: '2026-01-01T00:00:00.000Z',
    commit: null,
    daybook: 'none',
    groups: 1,
    memories: 3,
    methods: [reportMethod(name, questions)],
  }
}

const others = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`)
const EARLIER = reportOf('HYBRID', ['a'], ['b', ...others(10), 'c'])
const NOW = reportOf('HYBRID', [...others(12), 'a'], ['c', 'b'])

describe('a report', () => {
  it('has the means over all questions and over each category', () => {
    const [method] = EARLIER.methods
    expect(method?.all).toMatchObject({ questions: 2, latencyMs: { p50: 10, p95: 30 } })
    expect(method?.all.measures).toMatchObject({ 'recall@10': 0.75, 'recall@20': 1, MRR: 1 })
    expect(method?.categories['dates']).toMatchObject({ questions: 1, measures: { 'recall@10': 0.5 } })
    expect(method?.questions[1]?.ranks).toEqual({ b: 1, c: 12 })
  })

  it('is written and read again, and its page holds the numbers and no foreign markup', () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-report-'))
    try {
      const [json = '', html = ''] = writeReport(folder, NOW, compare(EARLIER, NOW))
      expect(readReport(json)).toEqual(NOW)
      const page = readFileSync(html, 'utf8')
      expect(page).toContain('first &lt;b>?')
      expect(page).not.toContain('<b>')
      expect(page).not.toMatch(/https?:|<script|NaN|undefined/u)
      writeFileSync(json, '{"version": 2}')
      expect(() => readReport(json)).toThrow('no report of an evaluation')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('shows what a missing term costs, how reliable scores are, and what a floor would cut', () => {
    const scored = [
      { score: 0.9, relevant: true },
      { score: 0.3, relevant: false },
    ]
    const whole = {
      ...EARLIER.methods[0],
      reliability: reliability(scored),
      unanswerable: scoreFloors([{ relevant: 1, hits: scored }], [[0.4]]),
    } as MethodReport
    const ablated = { ...NOW.methods[0], name: 'HYBRID without luck', whole: 'HYBRID' } as MethodReport
    const report = { ...EARLIER, methods: [whole, ablated] }
    const printed = printReport(report)
    expect(printed).toMatch(/HYBRID without luck +0\.500 -0\.250/u)
    expect(printed).toMatch(/0\.9–1\.0 +1 +1 +0\.900 +1\.000/u)
    expect(printed).toMatch(/\* 0\.45 +0\.000 +0\.0 +0\.000 +1\.000/u)
    const page = htmlReport(report, [])
    expect(page).toContain('<h2>Without a term of the ranking</h2>')
    expect(page).toContain('1 of 1 hits with scores from 0.9 to 1 are relevant')
    expect(page).toContain('HYBRID: 1 questions without an answer, AUC 1.000, fewest errors at 0.45')
    expect(page).not.toMatch(/NaN|undefined/u)
    expect(htmlReport(EARLIER, [])).not.toMatch(/Reliability|Without a term|without an answer/u)
  })

  it('is printed', () => {
    expect(printReport(NOW)).toMatch(/^tiny: 3 memories, 2 questions; none\n\nHYBRID +questions +recall@5/u)
    expect(printReport(NOW)).toMatch(/ {2}dates +1 +1\.000/u)
  })
})

describe('compare', () => {
  it('names the evidence that left the first ten, and that came into them', () => {
    const [comparison] = compare(EARLIER, NOW)
    expect(comparison?.lost).toEqual([
      { question: 'first <b>?', questionId: 'q1', category: 'names', memory: 'a', before: 1, now: 13 },
    ])
    expect(comparison?.gained.map(({ memory, before, now }) => [memory, before, now])).toEqual([['c', 12, 1]])
    const printed = comparison === undefined ? '' : printComparison(comparison)
    expect(printed).toContain('1 gained, 1 lost')
    expect(printed).toContain('lost: q1 "first <b>?": a was at 1, is at 13')
  })

  it('looks only at questions that both reports asked', () => {
    const [method] = NOW.methods
    const fewer = { methods: [reportMethod('HYBRID', method?.questions.slice(1) ?? [])] }
    expect(compare(EARLIER, fewer)[0]?.before.all.questions).toBe(1)
    expect(() => compare(EARLIER, { methods: [reportMethod('HYBRID', [])] })).toThrow('in common')
  })

  it('sets a method that is new beside the first of the earlier report', () => {
    expect(compare(EARLIER, reportOf('HYBRID RRF', ['a'], ['b', 'c']))[0]?.before.name).toBe('HYBRID')
  })
})

it('gates name what is below them', () => {
  expect(belowGates(EARLIER.methods, [{ measure: 'recall@10', least: 0.75 }])).toEqual([])
  expect(belowGates(EARLIER.methods, [{ measure: 'recall@10', least: 0.76 }])).toEqual([
    'HYBRID: recall@10 is 0.750, below 0.76',
  ])
})
