import { expect, test } from 'vitest'
import { layOut, seededRandom } from './lay-out.ts'
import type { Matrix } from './matrix.ts'
import { nearestNeighbours } from './nearest-neighbours.ts'

/** Vectors around a few centres; the group of a row is its number modulo the groups. */
function grouped(rows: number, groups: number, noise: number): Matrix {
  const random = seededRandom(7)
  const columns = 24
  const centres = Array.from({ length: groups }, () => Array.from({ length: columns }, () => random() - 0.5))
  const values = Float32Array.from(
    { length: rows * columns },
    (_, at) =>
      ((centres[Math.floor(at / columns) % groups] as number[])[at % columns] as number) +
      (random() - 0.5) * noise,
  )
  return { rows, columns, values }
}

const ignore = () => {}

test('what means the same stands together, and the same vectors come to the same places', () => {
  const vectors = grouped(60, 3, 0.3)
  const places = layOut(vectors, ignore).values
  expect(layOut(vectors, ignore).values).toEqual(places)
  const distance = (one: number, other: number) =>
    Math.hypot(places[2 * one]! - places[2 * other]!, places[2 * one + 1]! - places[2 * other + 1]!)
  // The nearest on the map of each is of its group.
  for (let row = 0; row < 60; row += 1) {
    const others = Array.from({ length: 60 }, (_, other) => other).filter((other) => other !== row)
    const nearest = others.toSorted((a, b) => distance(row, a) - distance(row, b))[0]!
    expect(nearest % 3).toBe(row % 3)
  }
  expect(Math.max(...places.map(Math.abs))).toBeCloseTo(1, 5)
})

test.each([0, 1, 2, 5, 12])('%i vectors have a map too', (rows) => {
  const { values } = layOut(grouped(rows, 2, 0.3), ignore)
  expect(values).toHaveLength(2 * rows)
  expect(values.every(Number.isFinite)).toBe(true)
})

test('a thousand copies of one vector stand around one place, in no more time than one', () => {
  const few = grouped(40, 4, 0.3)
  const values = new Float32Array(1_040 * few.columns)
  values.set(few.values)
  for (let copy = 40; copy < 1_040; copy += 1)
    values.set(few.values.subarray(0, few.columns), copy * few.columns)
  const places = layOut({ rows: 1_040, columns: few.columns, values }, ignore).values
  const apart = Array.from({ length: 1_000 }, (_, copy) =>
    Math.hypot(places[2 * (copy + 40)]! - places[0]!, places[2 * (copy + 40) + 1]! - places[1]!),
  )
  expect(Math.max(...apart)).toBeLessThan(0.1)
  expect(new Set(apart).size).toBeGreaterThan(900)
})

test('of many rows, nearly all neighbours that are found are the nearest', () => {
  const rows = grouped(2_500, 25, 0.6)
  const { rows: found, each } = nearestNeighbours(rows, 10, seededRandom(1))
  let right = 0
  for (let row = 0; row < 2_500; row += 50) {
    const distances = Array.from({ length: 2_500 }, (_, other) => {
      let sum = 0
      for (let at = 0; at < rows.columns; at += 1)
        sum += (rows.values[row * rows.columns + at]! - rows.values[other * rows.columns + at]!) ** 2
      return { other, sum }
    })
    const nearest = new Set(
      distances
        .toSorted((a, b) => a.sum - b.sum)
        .slice(0, each)
        .map(({ other }) => other),
    )
    for (let near = 0; near < each; near += 1) right += nearest.has(found[row * each + near]!) ? 1 : 0
  }
  expect(right / (50 * each)).toBeGreaterThan(0.9)
})
