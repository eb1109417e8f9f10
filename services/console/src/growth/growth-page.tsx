import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import UPlot from 'uplot'
import { type Growth, readGrowth } from '../api/growth.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { colourOf } from '../components/format.ts'
import { useLatest, useRefreshes, useThemeChanges, useWide } from '../components/hooks.ts'
import { useLocation } from '../router/location.ts'
import { FiltersPanel, filtersOn } from '../search/filters.tsx'
import { filterOf, readSettings } from '../search/settings.ts'
import { runningTotal, type Series, seriesOf } from './series.ts'

/** The height of a plot without its legend, in pixels. */
const HEIGHT = 220

const DAY_S = 86_400

const DAYS = { DAY: 1, WEEK: 7, MONTH: 30, YEAR: 365 } as const

/** With so few times, lines alone would be too short to see. */
const FEW = 40

/** The unit of times, as the API names it. */
type Unit = keyof typeof DAYS

/** Numbers over time, drawn on a canvas. What it shows stands in a table too (`growth-page.tsx`). */
function Plot({
  label,
  unit,
  starts,
  series,
  bars = false,
}: {
  readonly label: string
  readonly unit: Unit
  /** First days: `2026-11-23`. */
  readonly starts: readonly string[]
  readonly series: readonly Series[]
  readonly bars?: boolean
}) {
  const place = useRef<HTMLDivElement>(null)
  const themes = useThemeChanges()
  useEffect(() => {
    const element = place.current
    if (element === null || starts.length === 0) return
    const days = starts.map((start) => Date.parse(`${start}T00:00:00Z`) / 1_000)
    const plot = new UPlot(
      optionsFor(element.clientWidth, { unit, days, series, bars }),
      [days, ...series.map(({ counts }) => [...counts])],
      element,
    )
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    watch.observe(element)
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [unit, starts, series, bars, themes])
  return <div ref={place} class="plot" role="img" aria-label={label} />
}

/** While nobody points at a time, its legend has the last numbers. */
function showLast(plot: UPlot): void {
  if (plot.legend.idx == null) plot.setLegend({ idx: plot.data[0].length - 1 }, false)
}

function optionsFor(
  width: number,
  {
    unit,
    days,
    series,
    bars,
  }: {
    readonly unit: Unit
    readonly days: readonly number[]
    readonly series: readonly Series[]
    readonly bars: boolean
  },
): UPlot.Options {
  const [text, line] = [colourOf('plot-text'), colourOf('plot-line')]
  const font = `12px ${getComputedStyle(document.body).fontFamily}`
  const axis: UPlot.Axis = {
    stroke: text,
    font,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  }
  const half = (DAYS[unit] * DAY_S) / 2
  const day = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    ...(unit === 'YEAR'
      ? { year: 'numeric' }
      : unit === 'MONTH'
        ? { year: 'numeric', month: 'short' }
        : { dateStyle: 'medium' }),
  })
  const short = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    ...(unit === 'YEAR'
      ? { year: 'numeric' }
      : unit === 'MONTH'
        ? { year: '2-digit', month: 'short' }
        : { month: 'short', day: 'numeric' }),
  })
  const [first = 0, last = 0] = [days[0], days.at(-1)]
  return {
    width,
    height: HEIGHT,
    // Days stand as UTC has them, whatever the zone that they were counted in.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: () => [first - half, last + half] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        space: 80,
        size: 36,
        // Not nearer than one time.
        incrs: [1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1825, 3650, 7300].map(
          (count) => Math.max(count, DAYS[unit]) * DAY_S,
        ),
        values: (_, splits) => splits.map((seconds) => short.format(new Date(seconds * 1_000))),
      },
      {
        ...axis,
        size: 64,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
        values: (_, splits) => splits.map((value) => value.toLocaleString()),
      },
    ],
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { live: true },
    hooks: {
      setLegend: [showLast],
      drawClear: [showLast],
    },
    series: [
      {
        label: unit.toLowerCase(),
        value: (_, seconds) => (seconds == null ? '–' : day.format(new Date(seconds * 1_000))),
      },
      ...series.map(({ name, colour }) => {
        const stroke = colourOf(colour)
        return {
          label: name,
          stroke,
          width: bars ? 0 : 2,
          ...(bars && {
            fill: stroke,
            paths: UPlot.paths.bars?.({ size: [0.7, 40] }) as UPlot.Series.PathBuilder,
          }),
          points: { show: !bars && days.length <= FEW, size: 5, fill: stroke },
          value: (_: UPlot, value: number | null) => (value == null ? '–' : value.toLocaleString()),
        }
      }),
    ],
  }
}

/** The numbers of a plot as a table, for who does not see it, or wants to copy them. */
function PlotTable({
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

interface PlotProps {
  readonly title: string
  readonly series: readonly Series[]
  readonly bars?: boolean
}

const EACH = { DAY: 'day', WEEK: 'week', MONTH: 'month', YEAR: 'year' } as const

/** The plots of the page, each with its numbers as a table. */
function Plots({ growth }: { readonly growth: Growth }) {
  const { unit, starts } = growth
  const plots = useMemo<PlotProps[]>(() => {
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

/** What came at the only time that there is: a plot of one point says nothing. */
function OneTime({ growth: { unit, starts, kinds, contexts } }: { readonly growth: Growth }) {
  const day = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'long' })
  const first = day.format(new Date(`${starts[0]}T00:00:00Z`))
  return (
    <p class="notice">
      All of it came {unit === 'DAY' ? `on ${first}` : `in the ${EACH[unit]} from ${first} on`}, by kind:{' '}
      {listed(kinds, 'others').toLowerCase()}
      {contexts.some(({ value }) => value !== null) && `; by context: ${listed(contexts, 'others, or none')}`}
    </p>
  )
}

/** `note 42, insight 13`: as the filters say it. */
const listed = (series: Growth['kinds'], others: string): string =>
  series.map(({ value, counts }) => `${value ?? others} ${counts[0]?.toLocaleString()}`).join(', ')

/** How the memories came to be, over time. */
export default function GrowthPage() {
  const settings = readSettings(useLocation().params)
  const [again, setAgain] = useState(0)
  const refreshes = useRefreshes()
  const request = {
    filter: filterOf(settings),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const { answer, error, waiting } = useLatest(
    JSON.stringify(request),
    (signal) => readGrowth(request, signal),
    again + refreshes,
  )
  const on = filtersOn(settings)
  const growth = answer?.growth
  const events = growth?.events.reduce((sum, one) => sum + one, 0) ?? 0
  return (
    <div class="page growth-page">
      <h1>Growth</h1>
      <FiltersPanel settings={settings} counts={answer?.counts ?? null} isOpen={useWide(960)} />
      <div class="growth-parts" aria-busy={waiting}>
        {error !== null && <ErrorNotice error={error} onRetry={() => setAgain(again + 1)} />}
        {growth === undefined && error === null && <p class="loading">Loading …</p>}
        {growth !== undefined && (
          <p class="small muted" role="status">
            {growth.memories.toLocaleString()} {growth.memories === 1 ? 'memory' : 'memories'} and{' '}
            {events.toLocaleString()} {events === 1 ? 'event' : 'events'}, in the days of {request.timeZone}
          </p>
        )}
        {growth?.starts.length === 0 && (
          <p class="notice">{on > 0 ? 'No memory matches these filters.' : 'Nothing is remembered yet.'}</p>
        )}
        {growth?.starts.length === 1 && <OneTime growth={growth} />}
        {growth !== undefined && growth.starts.length > 1 && <Plots growth={growth} />}
      </div>
    </div>
  )
}
