import { colour, escaped, legend, round, type Series, svgPicture, svgText } from './svg.ts'

const LEFT = 150
const WIDTH = 900
const TOP = 34
const BAR = 12
const GAP = 14
/** The room for the number behind a bar. */
const RIGHT = 50

/** Draws horizontal bars from 0 to 1: for each label one bar per series, with its number behind it. */
export function plotBars(title: string, labels: readonly string[], series: readonly Series[]): string {
  const block = series.length * BAR + GAP
  const bottom = TOP + labels.length * block
  const x = (value: number) => LEFT + value * (WIDTH - LEFT - RIGHT)
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line x1="${round(x(value))}" y1="${TOP - 6}" x2="${round(x(value))}" y2="${bottom}" class="grid"/>` +
      svgText(x(value), bottom + 14, value.toString(), { anchor: 'middle', className: 'axis' }),
  )
  const bars = labels.flatMap((label, place) => {
    const top = TOP + place * block
    return [
      svgText(LEFT - 8, top + (series.length * BAR) / 2 + 4, label, { anchor: 'end' }),
      ...series.map(({ name, values }, index) => {
        const [value, y] = [values[place] ?? 0, top + index * BAR]
        return (
          `<rect x="${LEFT}" y="${y}" width="${round(x(value) - LEFT)}" height="${BAR - 2}" fill="${colour(index)}"><title>${escaped(`${label}, ${name}: ${value.toFixed(3)}`)}</title></rect>` +
          svgText(x(value) + 5, y + 9, value.toFixed(3), { className: 'value' })
        )
      }),
    ]
  })
  return svgPicture(WIDTH, bottom + 22, title, [...grid, ...bars, legend(series, LEFT, 14)])
}
