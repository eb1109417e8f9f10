import type { MapPoints } from '@daybook/client/map-points'

/** A part of the map whose points stand together. */
export interface Region {
  /** Its middle, as on the map. */
  readonly x: number
  readonly y: number
  /** Its points. */
  readonly members: readonly number[]
}

/** A region with the words that set it apart. */
export interface NamedRegion extends Region {
  readonly name: string
}

/** More names would cover each other. */
const MOST = 8

/** Fewer points have no parts, and a part has no fewer. */
const [FEWEST_POINTS, FEWEST_MEMBERS] = [12, 4]

/** Enough for the middles to stand still. */
const ROUNDS = 12

/** The parts of a map, the largest first: k-means (Lloyd), begun with points as far apart as can be. */
export function findRegions({ count, x, y }: MapPoints): readonly Region[] {
  if (count < FEWEST_POINTS) return []
  const squared = (at: number, middle: { readonly x: number; readonly y: number }) =>
    ((x[at] as number) - middle.x) ** 2 + ((y[at] as number) - middle.y) ** 2
  const middles = [{ x: x[0] as number, y: y[0] as number }]
  const nearest = Float64Array.from({ length: count }, () => Number.POSITIVE_INFINITY)
  while (middles.length < Math.min(MOST, Math.round(Math.sqrt(count / 2)))) {
    const last = middles.at(-1) as Region
    let farthest = 0
    for (let at = 0; at < count; at += 1) {
      nearest[at] = Math.min(nearest[at] as number, squared(at, last))
      if ((nearest[at] as number) > (nearest[farthest] as number)) farthest = at
    }
    middles.push({ x: x[farthest] as number, y: y[farthest] as number })
  }
  let regions: Region[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const members: number[][] = middles.map(() => [])
    for (let at = 0; at < count; at += 1) {
      let place = 0
      for (let other = 1; other < middles.length; other += 1)
        if (squared(at, middles[other] as Region) < squared(at, middles[place] as Region)) place = other
      members[place]?.push(at)
    }
    regions = members.flatMap((some) =>
      some.length === 0 ? [] : [{ x: mean(x, some), y: mean(y, some), members: some }],
    )
    middles.splice(0, middles.length, ...regions)
  }
  return regions
    .filter(({ members }) => members.length >= FEWEST_MEMBERS)
    .toSorted((one, other) => other.members.length - one.members.length)
}

const mean = (column: Float32Array, some: readonly number[]): number =>
  some.reduce((sum, at) => sum + (column[at] as number), 0) / some.length

/** In how many titles a word must stand, and how many times as often as elsewhere, to say what a region is about. */
const [LEAST_SHARE, LEAST_RATIO] = [0.25, 2]

/** Each word of a title once. Shorter ones seldom say what something is about. */
const wordsOf = (title: string): ReadonlySet<string> =>
  new Set(title.toLowerCase().match(/\p{L}[\p{L}\p{N}]{3,}/gu) ?? [])

/**
 * Names regions by the two words that stand in more of their titles than elsewhere. Those without such words have no name,
 * and of several with the same one, the largest has it.
 * @param titles some of each region's
 */
export function nameRegions(
  regions: readonly Region[],
  titles: readonly (readonly string[])[],
): readonly NamedRegion[] {
  const counts = titles.map((some) => {
    const words = new Map<string, number>()
    for (const title of some) for (const word of wordsOf(title)) words.set(word, (words.get(word) ?? 0) + 1)
    return words
  })
  const total = titles.reduce((sum, some) => sum + some.length, 0)
  const named = new Map<string, NamedRegion>()
  for (const [place, region] of regions.entries()) {
    const inside = titles[place]?.length ?? 0
    const words = [...(counts[place] ?? [])]
      .map(([word, count]) => {
        const everywhere = counts.reduce((sum, one) => sum + (one.get(word) ?? 0), 0)
        return { word, here: count / inside, elsewhere: (everywhere - count) / Math.max(1, total - inside) }
      })
      .filter(({ here, elsewhere }) => here >= LEAST_SHARE && here >= LEAST_RATIO * elsewhere)
      .toSorted((one, other) => other.here - other.elsewhere - (one.here - one.elsewhere))
      .slice(0, 2)
    const name = words.map(({ word }) => word).join(', ')
    if (name !== '' && !named.has(name)) named.set(name, { ...region, name })
  }
  return [...named.values()]
}
