import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from './compare.ts'
import { htmlReport } from './html-report.ts'
import type { MethodReport, Report } from './report.ts'

/** Writes `report.json` and `report.html`. @returns their paths */
export function writeReport(folder: string, report: Report, comparisons: readonly Comparison[]): string[] {
  mkdirSync(folder, { recursive: true })
  const [json, html] = [join(folder, 'report.json'), join(folder, 'report.html')]
  writeFileSync(json, toText(report))
  writeFileSync(html, htmlReport(report, comparisons))
  return [json, html]
}

/** Reads `report.json`. @throws Error if the file is no report of this version */
export function readReport(file: string): Report {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Partial<Report>
  if (report.version !== 1 || report.methods === undefined)
    throw new Error(`${file} is no report of an evaluation, or of another version`)
  return report as Report
}

/** JSON with one question per line, so that a diff of a committed report shows which questions changed. */
function toText({ methods, ...head }: Report): string {
  const method = ({ questions, ...rest }: MethodReport) =>
    `${JSON.stringify(rest).slice(0, -1)},"questions":[\n${questions.map((one) => JSON.stringify(one)).join(',\n')}\n]}`
  return `${JSON.stringify(head).slice(0, -1)},"methods":[\n${methods.map(method).join(',\n')}\n]}\n`
}
