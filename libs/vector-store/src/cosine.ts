/** The cosine similarity of two vectors of one dimension, neither of them 0. */
export function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let product = 0
  let squares = 0
  let others = 0
  for (let i = 0; i < left.length; i += 1) {
    const value = left[i]!
    const other = right[i] ?? 0
    product += value * other
    squares += value * value
    others += other * other
  }
  return product / Math.sqrt(squares * others)
}
