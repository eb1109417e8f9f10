import { grouped } from '@daybook/memory/size-in-words'
import stringWidth from 'string-width'
import { outputColumns } from './columns.ts'
import { wrap } from './wrap.ts'

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
