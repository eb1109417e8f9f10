/**
 * JSON with the keys in order, so that the same request gives the same text however its fields were ordered. What is stored under it
 * stays: keys that are whole numbers come first, in their order as numbers, which is why hashes of events are made by `canonicalJson`.
 */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
