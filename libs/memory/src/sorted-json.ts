/**
 * JSON with sorted keys: the same request gives the same text, whatever the order of its fields. Stored
 * request hashes depend on this order, so it must not change. Keys that are whole numbers come first, in
 * numeric order. That is not canonical, so hashes of events use `canonicalJson`.
 */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
