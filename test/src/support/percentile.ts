/**
 * The value that the given share of all values does not exceed (nearest rank); 0 if there are no values.
 * @param share 0 to 1: .5 is the median
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
