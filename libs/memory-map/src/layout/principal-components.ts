import { dot, type Matrix, rowOf, zeros } from './matrix.ts'

/** Rows that the directions are looked for in; more changes them little. */
const SAMPLE = 2_000
/** After so many, the directions of texts' vectors no longer turn noticeably. */
const ITERATIONS = 6

/**
 * Projects rows onto the directions in which they differ most, the most telling first (principal component analysis by
 * orthogonal iteration, as in Halko, Martinsson, Tropp 2011, on a sample of rows).
 * @param most directions; there are never more than columns
 */
export function principalComponents(rows: Matrix, most: number, random: () => number): Matrix {
  const count = Math.min(most, rows.columns)
  const centred = centre(rows)
  const step = Math.max(1, Math.floor(rows.rows / SAMPLE))
  const directions = zeros(count, rows.columns)
  for (let at = 0; at < directions.values.length; at += 1) directions.values[at] = random() - 0.5
  orthogonalise(directions)
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const next = zeros(count, rows.columns)
    for (let row = 0; row < rows.rows; row += step) {
      const vector = rowOf(centred, row)
      for (let one = 0; one < count; one += 1)
        addScaled(rowOf(next, one), vector, dot(rowOf(directions, one), vector))
    }
    orthogonalise(next)
    directions.values.set(next.values)
  }
  const projected = zeros(rows.rows, count)
  for (let row = 0; row < rows.rows; row += 1) {
    const vector = rowOf(centred, row)
    for (let one = 0; one < count; one += 1)
      projected.values[row * count + one] = dot(rowOf(directions, one), vector)
  }
  return projected
}

function centre(rows: Matrix): Matrix {
  const mean = new Float64Array(rows.columns)
  for (let at = 0; at < rows.values.length; at += 1) {
    const column = at % rows.columns
    mean[column] = (mean[column] as number) + (rows.values[at] as number) / rows.rows
  }
  return {
    ...rows,
    values: rows.values.map((value, at) => value - (mean[at % rows.columns] as number)),
  }
}

/** Gram and Schmidt: each direction loses what the ones before it have, and gets the length 1. */
function orthogonalise(directions: Matrix): void {
  for (let one = 0; one < directions.rows; one += 1) {
    const direction = rowOf(directions, one)
    for (let before = 0; before < one; before += 1) {
      const other = rowOf(directions, before)
      addScaled(direction, other, -dot(direction, other))
    }
    const length = Math.sqrt(dot(direction, direction))
    // Rows that differ in fewer directions than are asked for.
    const scale = length < 1e-9 ? 0 : 1 / length
    for (let at = 0; at < direction.length; at += 1) direction[at] = (direction[at] as number) * scale
  }
}

function addScaled(to: Float32Array, vector: Float32Array, scale: number): void {
  for (let at = 0; at < to.length; at += 1) to[at] = (to[at] as number) + scale * (vector[at] as number)
}
