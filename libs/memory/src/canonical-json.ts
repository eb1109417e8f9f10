import canonicalize from 'canonicalize'

/**
 * JSON in the one spelling that RFC 8785 gives a value: keys by their UTF-16 code units, numbers as ECMAScript prints them,
 * no blanks. Two programs in whatever language come to the same bytes, so it is what hashes are made of.
 * @throws Error for what has no such spelling: NaN, Infinity, unpaired surrogates, undefined
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('undefined is not JSON')
  return text
}
