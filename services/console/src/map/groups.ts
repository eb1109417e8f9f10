import { type MapPoints, NO_CONTEXT } from '@daybook/client/map-points'

/** What the points are coloured by. */
export const COLOUR_BY = ['kind', 'context', 'age'] as const
/** One of `COLOUR_BY`. */
export type ColourBy = (typeof COLOUR_BY)[number]

/** Points of one colour. */
export interface Group {
  readonly name: string
  /** The class that has the colour as its background. */
  readonly colour: string
  readonly count: number
}

/** The colours of a map, and which one each point has. */
export interface Grouping {
  readonly groups: readonly Group[]
  /** The place of a point's group in `groups`. */
  readonly groupOf: Uint8Array
}

/** Colours that can be told apart, the last one for all others (`tokens.css`). */
const SERIES = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5'] as const
const OTHERS = 'series-6'

const DAY = 86_400
/** The ages that are told apart, in seconds. */
const AGES = [
  { name: 'today', most: DAY },
  { name: 'this week', most: 7 * DAY },
  { name: 'this month', most: 30 * DAY },
  { name: 'this year', most: 365 * DAY },
  { name: 'older', most: Number.POSITIVE_INFINITY },
] as const

/** Gives each point its colour. @param now in seconds since 1970 */
export function groupPoints(points: MapPoints, by: ColourBy, now: number): Grouping {
  if (by === 'age')
    return countGroups(
      points,
      AGES.map(({ name }, place) => ({ name, colour: `age-${place + 1}` })),
      (at) => AGES.findIndex(({ most }) => now - (points.created[at] as number) < most),
    )
  const [names, column] =
    by === 'kind'
      ? [points.kinds.map((kind) => kind.toLowerCase()), points.kind]
      : [points.contexts, points.context]
  const totals = names.map(() => 0)
  for (const place of column) if (place !== NO_CONTEXT) totals[place] = (totals[place] as number) + 1
  const frequent = totals
    .map((total, place) => ({ total, place }))
    .toSorted((a, b) => b.total - a.total)
    .slice(0, SERIES.length)
    .map(({ place }) => place)
  const groups = [
    ...frequent.map((place, series) => ({ name: names[place] as string, colour: SERIES[series] as string })),
    { name: by === 'kind' ? 'other kinds' : 'other contexts, or none', colour: OTHERS },
  ]
  const groupOfPlace = new Map(frequent.map((place, group) => [place, group]))
  return countGroups(points, groups, (at) => groupOfPlace.get(column[at] as number) ?? frequent.length)
}

function countGroups(
  points: MapPoints,
  named: readonly Omit<Group, 'count'>[],
  find: (at: number) => number,
): Grouping {
  const counts = named.map(() => 0)
  const groupOf = new Uint8Array(points.count)
  for (let at = 0; at < points.count; at += 1) {
    const group = find(at)
    groupOf[at] = group
    counts[group] = (counts[group] as number) + 1
  }
  return { groups: named.map((group, place) => ({ ...group, count: counts[place] as number })), groupOf }
}
