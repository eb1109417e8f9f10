/** Vectors of one length, one after another. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** A matrix of zeros. */
export const zeros = (rows: number, columns: number): Matrix => ({
  rows,
  columns,
  values: new Float32Array(rows * columns),
})

/** One row, which shares its memory with the matrix. */
export const rowOf = ({ values, columns }: Matrix, row: number): Float32Array =>
  values.subarray(row * columns, (row + 1) * columns)

/** The squared Euclidean distance of two rows. */
export function squaredDistance({ values, columns }: Matrix, one: number, other: number): number {
  let sum = 0
  const [from, to] = [one * columns, other * columns]
  for (let at = 0; at < columns; at += 1) {
    const difference = (values[from + at] as number) - (values[to + at] as number)
    sum += difference * difference
  }
  return sum
}

/** The sum of the products of two vectors' numbers. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number)
  return sum
}
