/**
 * JSON in the one spelling that RFC 8785 gives a value: keys sorted by UTF-16 code units, numbers and strings
 * as ECMAScript prints them, no blanks. Programs in any language produce the same bytes, so hashes are made
 * from it. Values that JSON does not have are treated as by JSON.stringify: undefined fields are left out,
 * and toJSON is called.
 *
 * Our own code, because every append calls it: npm's `canonicalize` takes twice the time.
 * @throws Error for values that have no such spelling: NaN, Infinity, unpaired surrogates, undefined
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new Error('a string with an unpaired surrogate is not JSON')
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Error(`${value} is not JSON`)
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return arrayJson(value)
      return hasToJson(value) ? canonicalJson(value.toJSON()) : objectJson(value as Record<string, unknown>)
    default:
      throw new Error(`${typeof value} is not JSON`)
  }
}

function arrayJson(items: readonly unknown[]): string {
  let json = ''
  for (const item of items) json += `${json === '' ? '' : ','}${canonicalJson(item ?? null)}`
  return `[${json}]`
}

function objectJson(object: Readonly<Record<string, unknown>>): string {
  let json = ''
  // Without a comparator, sort compares code units.
  for (const key of Object.keys(object).toSorted()) {
    const value = object[key]
    if (value !== undefined) json += `${json === '' ? '' : ','}${canonicalJson(key)}:${canonicalJson(value)}`
  }
  return `{${json}}`
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

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
