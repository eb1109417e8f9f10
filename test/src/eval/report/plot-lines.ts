import { colour, escaped, legend, round, type Series, svgPicture, svgText } from './svg.ts'

const [LEFT, TOP, WIDTH, HEIGHT] = [40, 34, 900, 320]
const BOTTOM = HEIGHT - 26

/** Draws lines from 0 to 1 over equidistant labels. */
export function plotLines(title: string, labels: readonly string[], series: readonly Series[]): string {
  const x = (place: number) => LEFT + 30 + (place * (WIDTH - LEFT - 80)) / Math.max(1, labels.length - 1)
  const y = (value: number) => BOTTOM - value * (BOTTOM - TOP)
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (value) =>
      `<line x1="${LEFT}" y1="${round(y(value))}" x2="${WIDTH}" y2="${round(y(value))}" class="grid"/>` +
      svgText(LEFT - 6, y(value) + 4, value.toString(), { anchor: 'end', className: 'axis' }),
  )
  const names = labels.map((label, place) =>
    svgText(x(place), HEIGHT - 8, label, { anchor: 'middle', className: 'axis' }),
  )
  const lines = series.map(({ name, values }, index) => {
    const points = values.map((value, place) => `${round(x(place))},${round(y(value))}`).join(' ')
    const dots = values.map(
      (value, place) =>
        `<circle cx="${round(x(place))}" cy="${round(y(value))}" r="4" fill="${colour(index)}"><title>${escaped(`${name}, ${labels[place]}: ${value.toFixed(3)}`)}</title></circle>`,
    )
    // Numbers of several lines would overlap.
    const numbers =
      series.length > 1
        ? []
        : values.map((value, place) =>
            svgText(x(place) + 7, y(value) - 7, value.toFixed(3), { className: 'value' }),
          )
    return `<polyline points="${points}" fill="none" stroke="${colour(index)}" stroke-width="2"/>${[...dots, ...numbers].join('')}`
  })
  return svgPicture(WIDTH, HEIGHT, title, [...grid, ...names, ...lines, legend(series, LEFT, 14)])
}
