/**
 * The mean of a text's token vectors, scaled to length 1: sentence-transformers' "mean pooling" and
 * "normalize". Summed in double precision, so that the order of a batch does not show in the last digits.
 *
 * @param hidden token vectors of a batch, [text, place, dimension] in row-major order
 * @param firstToken index of the text's first token in the batch, `text × places`
 * @param tokens how many tokens count; padding comes after them
 */
export function meanPool(
  hidden: Float32Array,
  firstToken: number,
  tokens: number,
  dimension: number,
): Float32Array {
  const sum = new Float64Array(dimension)
  for (let token = 0; token < tokens; token++) {
    const start = (firstToken + token) * dimension
    for (let i = 0; i < dimension; i++) sum[i]! += hidden[start + i]!
  }
  let squares = 0
  for (let i = 0; i < dimension; i++) squares += sum[i]! * sum[i]!
  // No division by the token count: scaling to length 1 would cancel it out.
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
  return Float32Array.from(sum, (value) => value * scale)
}
