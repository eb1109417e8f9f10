/** What differs from one time to the next without telling anything. */
const VOLATILE = new Set(['accessCount', 'decayWeight', 'accessedAt', 'lastUsedAt', 'updatedAt'])
/** What differs because the one who asks has written in between. */
const OWN_PROGRESS = new Set([
  'sequence',
  'version',
  'currentVersion',
  'head',
  'position',
  'bytes',
  'total',
  'similar',
  'sameText',
])

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu
const HASH = /\b[0-9a-f]{64}\b/gu
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/gu
/** How old a memory is, in words. */
const AGE = /\b(?:\d+ \w+ ago|just now|a moment ago)/gu
const KEY = /dbk_[0-9A-Za-z]{6,}/gu

/**
 * An answer without what is different each time, so that two can be compared.
 * @param sent values of the request that may stand in its answer
 * @param wrote whether the request wrote something: then numbers that count its own events are left out too
 */
export function masked(answer: unknown, sent: readonly string[], wrote: boolean): unknown {
  const hidden = sent
    .filter((value) => value.length > 3)
    .toSorted((one, other) => other.length - one.length)
    .flatMap((value) => [value, value.slice(0, 64)])
  const maskText = (text: string): string => {
    let rest = text
    for (const value of hidden) rest = rest.replaceAll(value, '‹sent›')
    rest = rest.replace(KEY, '‹key›').replace(MOMENT, '‹time›').replace(AGE, '‹age›')
    return wrote ? rest.replace(UUID, '‹id›').replace(HASH, '‹hash›').replace(/\d+/gu, '‹n›') : rest
  }
  const mask = (value: unknown, name: string): unknown => {
    if (VOLATILE.has(name) || (wrote && OWN_PROGRESS.has(name))) return '‹volatile›'
    if (typeof value === 'string') return maskText(value)
    if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toFixed(4))
    if (Array.isArray(value)) return value.map((each) => mask(each, name))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mask(each, key)]))
  }
  return mask(answer, '')
}

/** Where two answers differ first, in words; null if nowhere. */
export function firstDifference(one: unknown, other: unknown, path = ''): string | null {
  if (Object.is(one, other)) return null
  const [left, right] = [one, other].map((value) =>
    value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : null,
  )
  if (left == null || right == null) return `${path}: ${JSON.stringify(one)} or ${JSON.stringify(other)}`
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(left[name], right[name], `${path}.${name}`)
    if (found !== null) return found
  }
  return null
}
