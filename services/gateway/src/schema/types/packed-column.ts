/*
 * Columns of numbers as base64 of their bytes, the lowest first: 20,000 points are 0.9 MB of one string each, where lists
 * would be 3 MB, and 120,000 values that GraphQL completes one by one while nothing else is answered.
 */

/** Numbers of 32 bits with a point (IEEE 754). */
export const packFloats = (values: readonly number[]): string =>
  packed(values, 4, (bytes, value, at) => bytes.writeFloatLE(value, at))

/** The same of 64 bits. */
export const packDoubles = (values: readonly number[]): string =>
  packed(values, 8, (bytes, value, at) => bytes.writeDoubleLE(value, at))

/** Whole numbers from 0 to 65,535. */
export const packShorts = (values: readonly number[]): string =>
  packed(values, 2, (bytes, value, at) => bytes.writeUInt16LE(value, at))

/** UUIDs, 16 bytes each. */
export const packUuids = (uuids: readonly string[]): string =>
  Buffer.from(uuids.join('').replaceAll('-', ''), 'hex').toString('base64')

/** The number that stands for no word. */
export const NO_WORD = 65_535

/** Words as the numbers of their places in a list of each, which has no more than 65,535. */
export function packWords<Word extends string>(
  words: readonly (Word | null)[],
): { readonly words: Word[]; readonly packed: string } {
  const places = new Map<Word, number>()
  const numbers = words.map((word) => {
    if (word === null) return NO_WORD
    const place = places.get(word) ?? places.size
    places.set(word, place)
    return place
  })
  return { words: [...places.keys()], packed: packShorts(numbers) }
}

function packed(
  values: readonly number[],
  size: number,
  write: (bytes: Buffer, value: number, at: number) => void,
): string {
  const bytes = Buffer.alloc(values.length * size)
  for (const [index, value] of values.entries()) write(bytes, value, index * size)
  return bytes.toString('base64')
}
