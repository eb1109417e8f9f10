import type { MapPoints } from '@daybook/client/map-points'
import { expect, test } from 'vitest'
import { findRegions, nameRegions } from './regions.ts'

const pointsAt = (places: readonly (readonly [x: number, y: number])[]): MapPoints =>
  ({
    count: places.length,
    x: Float32Array.from(places.map(([x]) => x)),
    y: Float32Array.from(places.map(([, y]) => y)),
  }) as MapPoints

const around = (x: number, y: number, count: number) =>
  Array.from({ length: count }, (_, at) => [x + (at % 3) / 100, y + (at % 5) / 100] as const)

test('points that stand together are a region, the largest first; few points have none', () => {
  // As many as there are heaps: the square root of half the points.
  const regions = findRegions(pointsAt([...around(-0.8, 0, 4), ...around(0.8, 0.1, 6), ...around(0, 0.9, 8)]))
  expect(regions.map(({ members }) => members.length)).toEqual([8, 6, 4])
  expect(regions[0]?.x).toBeCloseTo(0.01, 1)
  expect(findRegions(pointsAt(around(0, 0, 11)))).toEqual([])
})

test('a region is named by the words that others lack; a name stands once', () => {
  const regions = [0, 1, 2, 3].map((x) => ({ x, y: 0, members: [] }))
  const named = nameRegions(regions, [
    ['The bread of the oven', 'Bread, oven and yeast', 'An oven for bread'],
    ['The train to Berlin', 'A train of the night', 'Berlin by train'],
    ['Bread in the oven', 'bread from an oven'],
    ['The night', 'A day', 'of all'],
  ])
  expect(named.map(({ x, name }) => [x, name])).toEqual([
    [0, 'bread, oven'],
    [1, 'train, berlin'],
    [3, 'night'],
  ])
})
