import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** A column of a table. */
export interface Column<Row> {
  /** Its heading. */
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Whether its numbers stand below each other, at the end of the column. Default no. */
  readonly numeric?: boolean
  /** Whether its heading is only for screen readers, as above buttons. Default no. */
  readonly quiet?: boolean
}

/** How many rows are added at a time: thousands at once would take seconds to lay out. */
const PAGE = 50

/**
 * Rows under headings. On a narrow screen each row is a card, with the headings beside its values; its roles are written
 * out because a table that is laid out otherwise is none for screen readers.
 * @param label what the rows are
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
}) {
  const [most, setMost] = useState(PAGE)
  const left = rows.length - most
  return (
    <>
      <table class="data-table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, numeric, quiet }) => (
              <th key={name} role="columnheader" scope="col" class={numeric === true ? 'numeric' : undefined}>
                <span class={quiet === true ? 'visually-hidden' : undefined}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.slice(0, most).map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ name, cell, numeric, quiet }, index) => (
                <td
                  key={name}
                  role="cell"
                  class={numeric === true ? 'numeric' : undefined}
                  // The first column says which row it is, and needs no heading for that.
                  data-label={quiet === true || index === 0 ? undefined : name}
                >
                  {/* One box, which stands beside the heading on a narrow screen. */}
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(left, PAGE)} more of {left.toLocaleString()}
        </button>
      )}
    </>
  )
}
