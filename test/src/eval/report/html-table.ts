import { escaped } from './svg.ts'

/** A number with three decimals. */
export const three = (value: number) => value.toFixed(3)

/** Now's value, with its difference to an earlier one in HTML where there is one. */
export function change(before: number, now: number): string {
  const difference = now - before
  if (Math.abs(difference) < 0.0005) return three(now)
  const name = difference > 0 ? 'rose' : 'fell'
  return `${three(now)} <span class="${name}">${difference > 0 ? '+' : ''}${three(difference)}</span>`
}

/** A table of plain text. Columns of numbers are aligned to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rawTable(
    headings,
    rows.map((row) => row.map(escaped)),
  )
}

/** The same. @param rows cells of HTML, which are not escaped */
export function rawTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const align = (html = '') => (/^[\d.–]/u.test(html) ? '' : ' class="text"')
  const head = headings.map((one, column) => `<th${align(rows[0]?.[column])}>${escaped(one)}</th>`)
  const body = rows.map(
    (row) =>
      `<tr${row[0] === 'all' ? ' class="all"' : ''}>${row.map((html) => `<td${align(html)}>${html}</td>`).join('')}</tr>`,
  )
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>`
}
