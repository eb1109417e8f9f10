import { grouped } from '@daybook/memory/text-rules'
import stringWidth from 'string-width'

type Row = readonly (string | number)[]

/**
 * Rows under a header, numbers to the right. It is plain text without lines, so that cut and awk can read it.
 * If the terminal is too narrow, each row lists its columns one after the other:
 *
 *   projection pgvector
 *     position: 12,345  head: 12,345  lag: 0
 *     parked: 0
 */
export function table(header: readonly string[], rows: readonly Row[], columns = outputColumns()): string {
  // Grouped for people only: a program takes 12,345 for 12.
  const toText = columns === Number.POSITIVE_INFINITY ? String : grouping
  const cells = rows.map((row) => row.map((cell) => toText(cell)))
  // As a terminal shows them: CJK and emoji take two columns.
  const widths = header.map((_, column) =>
    Math.max(...[header, ...cells].map((row) => stringWidth(row[column] ?? ''))),
  )
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const padded = (cell: string, column: number) => {
    const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell)))
    return isNumber[column] ? blanks + cell : cell + blanks
  }
  const lines = [header, ...cells].map((row) => row.map(padded).join('  ').trimEnd())
  return lines.every((line) => stringWidth(line) <= columns)
    ? lines.join('\n')
    : cells.map((row) => rowAlone(header, row, columns)).join('\n')
}

const grouping = (cell: string | number) => (typeof cell === 'number' ? grouped(cell) : cell)

function rowAlone(
  [first = '', ...names]: readonly string[],
  [title = '', ...cells]: readonly string[],
  columns: number,
) {
  const said = cells.map((cell, index) => `${names[index]}: ${cell}`)
  return [wrap(`${first} ${title}`, columns), wrap(`  ${said.join('  ')}`, columns)].join('\n')
}

/**
 * An output's width in columns: the terminal's, or no limit elsewhere, because programs need the whole text.
 */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (stream.isTTY !== true) return Number.POSITIVE_INFINITY
  // A terminal that does not tell its width reports 0 or undefined.
  return Math.max(LEAST, stream.columns || USUAL)
}

/** The width of standard output, in columns. */
export const outputColumns = (): number => columnsOf(process.stdout)

const USUAL = 80

/** The least width to lay text out for. Narrower terminals break the lines themselves. */
const LEAST = 30

/**
 * Wraps text to `columns`, at blanks. A longer word stays whole; the terminal breaks it. A continued line is
 * indented like the text of its first line, or by `hang` columns.
 *
 * Two blanks set a part off, such as a command to copy. Such a part is not broken if it fits on one line.
 */
export function wrap(text: string, columns: number, hang?: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns, hang))
    .join('\n')
}

/** What stands before a line's text: blanks, the number of a hit, an arrow. */
const BEFORE_TEXT = /^ *(?:\d+\. |→ )?/u

function wrapLine(line: string, columns: number, hang?: number): string {
  if (stringWidth(line) <= columns) return line
  const before = BEFORE_TEXT.exec(line)?.[0] ?? ''
  const indent = ' '.repeat(Math.min(hang ?? before.length, Math.floor(columns / 2)))
  const lines: string[] = []
  let open = before
  let begun = false
  const put = (gap: string, piece: string) => {
    if (begun && stringWidth(open + gap + piece) > columns) {
      lines.push(open)
      open = indent + piece
    } else open += begun ? gap + piece : piece
    begun = true
  }
  for (const [gap, segment] of segmentsOf(line.slice(before.length))) {
    const isWhole = stringWidth(indent + segment) <= columns || stringWidth(open + gap + segment) <= columns
    if (isWhole) put(gap, segment)
    else for (const [index, word] of segment.split(' ').entries()) put(index === 0 ? gap : ' ', word)
  }
  return [...lines, open].join('\n')
}

/** The parts between runs of two or more blanks, each with the run before it. */
function segmentsOf(text: string): [gap: string, segment: string][] {
  const parts = text.split(/( {2,})/u)
  return parts.flatMap((part, index) => (index % 2 === 0 ? [[parts[index - 1] ?? '', part]] : []))
}

/** Wraps `text` behind `before`; its further lines begin in the column where it began. */
export function wrapBehind(before: string, text: string, columns: number): string {
  const indent = Math.min(stringWidth(before), Math.floor(columns / 2))
  const [first = '', ...others] = wrap(text, columns - indent).split('\n')
  return [before + first, ...others.map((line) => ' '.repeat(indent) + line)].join('\n')
}

/**
 * Joins the lines of each paragraph, which were broken for the source only. Indented lines stay as they are.
 */
export const joinLines = (text: string): string => text.replace(/(?<=^\S.*)\n(?=\S)/gmu, ' ')
