import stringWidth from 'string-width'

/** Rows under a header, numbers to the right; plain text without lines, so that cut and awk can read it. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String))
  // As a terminal shows them: CJK and emoji take two columns.
  const widths = header.map((_, column) => Math.max(...cells.map((row) => stringWidth(row[column] ?? ''))))
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] === 'number'))
  const padded = (cell: string, column: number) => {
    const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell)))
    return isNumber[column] ? blanks + cell : cell + blanks
  }
  return cells.map((row) => row.map(padded).join('  ').trimEnd()).join('\n')
}
