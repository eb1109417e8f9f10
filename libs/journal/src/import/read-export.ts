import { createHash } from 'node:crypto'
import { readLines } from '@daybook/runtime/read-lines'
import type { ExportEnd, ExportedProject } from '../export/export-format.ts'
import { type ImportedEvent, openProject, type ProjectCheck } from './check-project.ts'
import { type ExportLine, InvalidExportError, parseLine } from './parse-line.ts'

/** The parts of an export, in order. `end` comes only if everything before it was right. */
export type ExportItem =
  | { readonly project: ExportedProject }
  | { readonly event: ImportedEvent }
  | { readonly end: ExportEnd }

/** The longest line that is read, in bytes. No event within today's limits is that long. */
const LONGEST_LINE = 16 * 1024 * 1024

/**
 * Reads an exported journal and checks it on the way, with one line in memory.
 * @throws InvalidExportError naming the line
 */
export async function* readExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ExportItem> {
  const check = createExportCheck()
  let last = 0
  for await (const { number, text, problem } of readLines(chunks, LONGEST_LINE)) {
    if (text === null) throw new InvalidExportError(number, problem)
    const item = check.next(number, text)
    if (item !== null) yield item
    last = number
  }
  check.over(last)
}

/**
 *   beginning ──header──▶ between projects ──project──▶ in a project ──its last event──▶ between projects
 *   … ──end──▶ over
 */
function createExportCheck() {
  const sha256 = createHash('sha256')
  const counted = { projects: 0, events: 0 }
  let begun = false
  let over = false
  /** The project whose events are being read; null between projects. */
  let project: ProjectCheck | null = null

  const take = (number: number, line: ExportLine, size: number): ExportItem | null => {
    const wrong = (what: string) => new InvalidExportError(number, what)
    if ('header' in line) {
      if (begun) throw wrong('begins another export')
      begun = true
      return null
    }
    if (!begun) throw wrong('does not begin an exported journal')
    if ('event' in line) {
      if (project === null) throw wrong('is an event outside of a project')
      counted.events += 1
      return { event: project.next(number, line.event, size) }
    }
    if (project !== null) throw wrong(`the events of the project "${project.name}" are not complete`)
    if ('project' in line) {
      counted.projects += 1
      project = openProject(line.project)
      return line
    }
    const { events, projects } = line.end
    if (events !== counted.events || projects !== counted.projects)
      throw wrong(
        `${projects} projects and ${events} events were exported, but the file has ${counted.projects} and ${counted.events}`,
      )
    if (line.end.sha256 !== sha256.digest('hex'))
      throw wrong('the checksum is wrong: the file was changed or damaged since it was exported')
    over = true
    return line
  }

  return {
    next(number: number, text: string): ExportItem | null {
      if (over)
        throw new InvalidExportError(
          number,
          'stands after the end of the export. Import each export by itself',
        )
      const item = take(number, parseLine(number, text), text.length)
      if (!over) sha256.update(text).update('\n')
      if (project?.isComplete(number) === true) project = null
      return item
    },
    over(lines: number): void {
      if (!begun) throw new InvalidExportError(1, 'is empty, and not an exported journal')
      if (!over)
        throw new InvalidExportError(
          lines + 1,
          'the export is cut off here. What came before is sound; export again, and import that',
        )
    },
  }
}
