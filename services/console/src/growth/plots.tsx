import { useMemo } from 'preact/hooks'
import type { Growth } from '../api/growth.ts'
import { Plot } from './plot.tsx'
import { PlotTable } from './plot-table.tsx'
import { runningTotal, type Series, seriesOf } from './series.ts'

interface Shown {
  readonly title: string
  readonly series: readonly Series[]
  readonly bars?: boolean
}

const EACH = { DAY: 'day', WEEK: 'week', MONTH: 'month', YEAR: 'year' } as const

/** The plots of the page, each with its numbers as a table. */
export function Plots({ growth }: { readonly growth: Growth }) {
  const { unit, starts } = growth
  const plots = useMemo<Shown[]>(() => {
    const kinds = seriesOf(growth.kinds, 'other kinds', (kind) => kind.toLowerCase())
    const contexts = seriesOf(growth.contexts, 'others, or none', (context) => context)
    const each = EACH[unit]
    return [
      {
        title: 'Memories',
        series: [{ name: 'memories', colour: 'series-1', counts: runningTotal(growth.remembered) }],
      },
      {
        title: `Events each ${each}`,
        series: [{ name: 'events', colour: 'series-3', counts: growth.events }],
        bars: true,
      },
      { title: 'Memories by kind', series: kinds },
      // Without any context there is nothing to tell apart.
      ...(growth.contexts.some(({ value }) => value !== null)
        ? [{ title: 'Memories by context', series: contexts }]
        : []),
    ]
  }, [growth, unit])
  return (
    <div class="plots">
      {plots.map(({ title, series, bars }) => (
        <section key={title} class="card plot-card" aria-label={title}>
          <h2>{title}</h2>
          <Plot
            label={`${title}, from ${starts[0]} to ${starts.at(-1)}. The same numbers are in the table below.`}
            unit={unit}
            starts={starts}
            series={series}
            bars={bars ?? false}
          />
          <PlotTable caption={title} unit={unit} starts={starts} series={series} />
        </section>
      ))}
    </div>
  )
}
