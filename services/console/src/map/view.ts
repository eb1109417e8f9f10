import type { MapPoints } from '@daybook/client/map-points'

/** Which part of the map is on the screen, in CSS pixels: `screen = middle + map × scale`. */
export interface View {
  readonly scale: number
  /** Where the map's middle is. */
  readonly x: number
  readonly y: number
}

/** A rectangle on the screen. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** How large the map may become, as a multiple of the whole. */
const MOST_ZOOM = 200
/** Room around the whole, in pixels. */
const MARGIN = 16

/** The whole map. */
export function wholeView(width: number, height: number): View {
  return { scale: Math.max(20, Math.min(width, height) / 2 - MARGIN), x: width / 2, y: height / 2 }
}

/** Makes the map larger or smaller around a point of the screen, which stays where it is. */
export function zoomed(view: View, factor: number, at: { x: number; y: number }, whole: View): View {
  const scale = Math.min(whole.scale * MOST_ZOOM, Math.max(whole.scale / 2, view.scale * factor))
  const change = scale / view.scale
  return { scale, x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change }
}

/** The box between two points. */
export const boxOf = (one: { x: number; y: number }, other: { x: number; y: number }): Box => ({
  left: Math.min(one.x, other.x),
  right: Math.max(one.x, other.x),
  top: Math.min(one.y, other.y),
  bottom: Math.max(one.y, other.y),
})

/** The points inside a box of the screen. @param isShown leaves out what its colour hides */
export function pointsIn(
  points: MapPoints,
  view: View,
  box: Box,
  isShown: (at: number) => boolean,
): number[] {
  const inside: number[] = []
  for (let at = 0; at < points.count; at += 1) {
    const x = view.x + (points.x[at] as number) * view.scale
    const y = view.y + (points.y[at] as number) * view.scale
    if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom && isShown(at)) inside.push(at)
  }
  return inside
}

/** The nearest point, at most so many pixels away; null if there is none. */
export function nearestPoint(
  points: MapPoints,
  view: View,
  to: { x: number; y: number },
  most: number,
  isShown: (at: number) => boolean,
): number | null {
  let found: number | null = null
  let nearest = most * most
  for (let at = 0; at < points.count; at += 1) {
    const x = view.x + (points.x[at] as number) * view.scale - to.x
    const y = view.y + (points.y[at] as number) * view.scale - to.y
    const distance = x * x + y * y
    if (distance <= nearest && isShown(at)) {
      nearest = distance
      found = at
    }
  }
  return found
}
