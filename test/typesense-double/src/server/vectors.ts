/** Scales a vector to length 1 in single precision, as hnswlib stores it for the cosine distance. */
export function normalised(vector: readonly number[]): Float32Array {
  const single = Float32Array.from(vector)
  let squares = 0
  for (const value of single) squares = Math.fround(squares + Math.fround(value * value))
  const factor = Math.fround(1 / (Math.fround(Math.sqrt(squares)) + 1e-30))
  return single.map((value) => Math.fround(value * factor))
}

/** A vector as it is compared: for the inner product (`ip`) it keeps its length. */
export const comparable = (vector: readonly number[], distance: string | undefined): Float32Array =>
  distance === 'ip' ? Float32Array.from(vector) : normalised(vector)

/** 1 − cosine in single precision; never below 0. */
export function cosineDistance(left: Float32Array, right: Float32Array): number {
  let product = 0
  for (let index = 0; index < left.length; index++)
    product = Math.fround(product + Math.fround((left[index] ?? 0) * (right[index] ?? 0)))
  return Math.abs(Math.fround(1 - product))
}
