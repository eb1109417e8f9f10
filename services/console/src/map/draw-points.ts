import type { MapPoints } from '@daybook/client/map-points'
import type { Box, View } from './view.ts'

/** What is drawn, and how. Sizes are in CSS pixels. */
export interface Drawing {
  readonly points: MapPoints
  readonly view: View
  readonly width: number
  readonly height: number
  /** Pixels of the canvas for one of CSS. */
  readonly density: number
  /** The colour of each group; null: hidden. */
  readonly colours: readonly (string | null)[]
  readonly groupOf: Uint8Array
  /** The points of each group. */
  readonly ofGroups: readonly Uint32Array[]
  readonly selected: ReadonlySet<number>
  readonly hovered: number | null
  /** What is being selected. */
  readonly brush: Box | null
  /** The colours of what is selected and pointed at. */
  readonly accent: string
  readonly text: string
}

/** Up to so many, dots are round: arcs take five times as long as squares, which nobody can tell apart when small. */
const MOST_ROUND = 3_000

/** The groups are drawn by turns, a part of each: else the last one would cover what stands among it. */
const LAYERS = 12

/** Draws the map: 20,000 points in some milliseconds, for as many frames as somebody drags. */
export function drawPoints(to: CanvasRenderingContext2D, drawing: Drawing): void {
  const { points, view, width, height, density, colours, ofGroups, selected } = drawing
  to.setTransform(density, 0, 0, density, 0, 0)
  to.clearRect(0, 0, width, height)
  const radius = radiusOf(points.count, view.scale)
  const round = countSeen(points, view, width, height) <= MOST_ROUND
  to.globalAlpha = selected.size > 0 ? 0.25 : 0.8
  for (let layer = 0; layer < LAYERS; layer += 1)
    for (const [group, members] of ofGroups.entries()) {
      const colour = colours[group]
      if (colour == null) continue
      to.fillStyle = colour
      to.beginPath()
      for (let place = layer; place < members.length; place += LAYERS) {
        const at = members[place] as number
        const x = view.x + (points.x[at] as number) * view.scale
        const y = view.y + (points.y[at] as number) * view.scale
        if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue
        if (round) dot(to, x, y, radius)
        else to.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
      }
      if (round) to.fill()
    }
  to.globalAlpha = 1
  for (const at of selected) ring(to, drawing, at, radius + 0.5, false)
  if (drawing.hovered !== null) ring(to, drawing, drawing.hovered, radius + 2, true)
  if (drawing.brush !== null) frame(to, drawing.brush, drawing.accent)
}

/** Smaller where there are many, larger from nearby. In pixels. */
const radiusOf = (count: number, scale: number): number =>
  Math.min(7, 0.6 + 0.6 * Math.sqrt(scale / 300) + 30 / Math.sqrt(count + 200))

function countSeen(points: MapPoints, view: View, width: number, height: number): number {
  if (points.count <= MOST_ROUND) return points.count
  let seen = 0
  for (let at = 0; at < points.count; at += 1) {
    const x = view.x + (points.x[at] as number) * view.scale
    const y = view.y + (points.y[at] as number) * view.scale
    if (x >= 0 && y >= 0 && x <= width && y <= height) seen += 1
  }
  return seen
}

function dot(to: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  to.moveTo(x + radius, y)
  to.arc(x, y, radius, 0, 2 * Math.PI)
}

/** A point that stands out: in its own colour, or with a ring. */
function ring(
  to: CanvasRenderingContext2D,
  { points, view, colours, groupOf, text, width, height }: Drawing,
  at: number,
  radius: number,
  outlined: boolean,
): void {
  const colour = colours[groupOf[at] as number]
  const x = view.x + (points.x[at] as number) * view.scale
  const y = view.y + (points.y[at] as number) * view.scale
  if (colour == null || x < 0 || y < 0 || x > width || y > height) return
  to.fillStyle = colour
  to.beginPath()
  dot(to, x, y, radius)
  to.fill()
  if (!outlined) return
  to.strokeStyle = text
  to.lineWidth = 2
  to.stroke()
}

function frame(to: CanvasRenderingContext2D, { left, top, right, bottom }: Box, accent: string): void {
  to.strokeStyle = accent
  to.fillStyle = accent
  to.lineWidth = 1
  to.globalAlpha = 0.12
  to.fillRect(left, top, right - left, bottom - top)
  to.globalAlpha = 1
  to.strokeRect(left + 0.5, top + 0.5, right - left, bottom - top)
}
