import { colour, escaped, round, svgPicture, svgText } from '../../eval/report/svg.ts'

const [LEFT, TOP, WIDTH, HEIGHT] = [60, 20, 900, 380]
/** The height of a name. */
const LINE = 13
const [RIGHT, BOTTOM] = [WIDTH - 120, HEIGHT - 44]

/** A point with a name; `y` is from 0 to 1. */
export interface Point {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** Draws named points, the lower axis in powers of ten. @param axes what they show */
export function plotPoints(
  title: string,
  points: readonly Point[],
  axes: { readonly x: string; readonly y: string },
): string {
  const powers = points.map(({ x }) => Math.log10(Math.max(x, 0.01)))
  const [from, to] = [
    Math.floor(Math.min(...powers)),
    Math.max(Math.floor(Math.min(...powers)) + 1, Math.ceil(Math.max(...powers))),
  ]
  const place = (power: number) => LEFT + ((power - from) / (to - from)) * (RIGHT - LEFT)
  const height = (value: number) => BOTTOM - value * (BOTTOM - TOP)
  const vertical = Array.from({ length: to - from + 1 }, (_, index) => from + index).map(
    (power) =>
      `<line x1="${round(place(power))}" y1="${TOP}" x2="${round(place(power))}" y2="${BOTTOM}" class="grid"/>` +
      svgText(place(power), BOTTOM + 16, String(10 ** power), { anchor: 'middle', className: 'axis' }),
  )
  const horizontal = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (value) =>
      `<line x1="${LEFT}" y1="${round(height(value))}" x2="${RIGHT}" y2="${round(height(value))}" class="grid"/>` +
      svgText(LEFT - 6, height(value) + 4, String(value), { anchor: 'end', className: 'axis' }),
  )
  const labels: { readonly from: number; readonly to: number; readonly at: number }[] = []
  const dots = points.map(({ name, x, y }, index) => {
    const [across, up] = [place(powers[index] ?? 0), height(y)]
    const label = { from: across + 10, to: across + 20 + name.length * 7 }
    // A name that would stand on another goes above or below it, as near as it can.
    const isFree = (at: number) =>
      !labels.some((one) => one.from < label.to && label.from < one.to && Math.abs(one.at - at) < LINE)
    const at = [0, -1, 1, -2, 2, -3, 3].map((lines) => up + 4 + lines * LINE).find(isFree) ?? up + 4
    labels.push({ ...label, at })
    return (
      `<circle cx="${round(across)}" cy="${round(up)}" r="6" fill="${colour(name.startsWith('daybook') ? 0 : 5)}"><title>${escaped(`${name}: ${axes.y} ${y.toFixed(3)}, ${x} ${axes.x}`)}</title></circle>` +
      svgText(label.from, at, name)
    )
  })
  return svgPicture(WIDTH, HEIGHT, title, [
    ...vertical,
    ...horizontal,
    ...dots,
    svgText((LEFT + RIGHT) / 2, HEIGHT - 8, `${axes.x} → slower`, { anchor: 'middle', className: 'axis' }),
    svgText(LEFT, TOP - 6, axes.y, { className: 'axis' }),
  ])
}
