import { relevantShare, type ScoreBin } from './reliability.ts'
import { colour, round, svgPicture, svgText } from './svg.ts'

const [LEFT, TOP, SIZE] = [40, 14, 380]
const [RIGHT, BOTTOM] = [LEFT + SIZE, TOP + SIZE]
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
/** The radius of the dot with the most hits; an area tells a count. */
const LARGEST = 16
const SMALLEST = 3

/** Draws a dot for each range of scores: its mean score to the right, its share of relevant hits up. */
export function plotReliability(title: string, bins: readonly ScoreBin[]): string {
  const x = (value: number) => LEFT + value * SIZE
  const y = (value: number) => BOTTOM - value * SIZE
  const most = Math.max(1, ...bins.map(({ hits }) => hits))
  const grid = TICKS.map(
    (value) =>
      `<line x1="${LEFT}" y1="${round(y(value))}" x2="${RIGHT}" y2="${round(y(value))}" class="grid"/>` +
      svgText(LEFT - 6, y(value) + 4, value.toString(), { anchor: 'end', className: 'axis' }) +
      svgText(x(value), BOTTOM + 16, value.toString(), { anchor: 'middle', className: 'axis' }),
  )
  const diagonal = `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" class="grid" stroke-dasharray="4 4"/>`
  const dots = bins
    .filter(({ hits }) => hits > 0)
    .map((bin) => {
      const [cx, cy] = [x(bin.meanScore), y(relevantShare(bin))]
      const radius = Math.max(SMALLEST, LARGEST * Math.sqrt(bin.hits / most))
      const text = `${bin.relevant} of ${bin.hits} hits with scores from ${bin.from} to ${bin.to} are relevant`
      return (
        `<circle cx="${round(cx)}" cy="${round(cy)}" r="${round(radius)}" fill="${colour(0)}" fill-opacity=".7"><title>${text}</title></circle>` +
        svgText(cx + radius + 3, cy + 4, String(bin.hits), { className: 'value' })
      )
    })
  const names = [
    svgText((LEFT + RIGHT) / 2, BOTTOM + 34, 'mean score of the hits; a dot is as large as their number', {
      anchor: 'middle',
      className: 'axis',
    }),
    svgText(LEFT + 6, TOP - 3, 'share that is relevant', { className: 'axis' }),
  ]
  return svgPicture(RIGHT + 60, BOTTOM + 42, title, [...grid, diagonal, ...dots, ...names])
}
