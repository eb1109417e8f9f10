import type { Unit } from './plot.tsx'
import type { Series } from './series.ts'

/** The numbers of a plot as a table, for who does not see it, or wants to copy them. */
export function PlotTable({
  caption,
  unit,
  starts,
  series,
}: {
  readonly caption: string
  readonly unit: Unit
  readonly starts: readonly string[]
  readonly series: readonly Series[]
}) {
  const format = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' })
  return (
    <details class="plot-table">
      <summary class="small">As a table</summary>
      <div class="plot-table-rows" tabIndex={0} role="region" aria-label={caption}>
        <table class="small">
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{unit.toLowerCase()}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {starts.map((start, at) => (
              <tr key={start}>
                <th scope="row">{format.format(new Date(`${start}T00:00:00Z`))}</th>
                {series.map(({ name, counts }) => (
                  <td key={name}>{(counts[at] ?? 0).toLocaleString()}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
