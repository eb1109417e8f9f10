/** The path that means the whole value. */
const WHOLE = '$'

/** The most characters of a text: it stays below the 64 KiB of UTF-8 that Daybook keeps of one. */
const TEXT_CHARACTERS = 16_000

/**
 * The text that a search compares: what stands at the paths, one line each. A value with other values in it gives a
 * line `name: text` for each of its texts and numbers.
 * @param paths such as `title`, `chapters[*].content`, `authors[0].name`, `tags[-1]`; `$` is the whole value
 * @returns empty if nothing stands there
 */
export function searchedText(value: unknown, paths: readonly string[]): string {
  const lines = paths.flatMap((path) => valuesAt(value, path).flatMap((found) => linesOf(found)))
  return lines.join('\n').slice(0, TEXT_CHARACTERS).replaceAll('\u0000', '').toWellFormed().trim()
}

function valuesAt(value: unknown, path: string): unknown[] {
  if (path === WHOLE) return [value]
  const steps = path.match(/[^.[\]]+/gu) ?? []
  return steps.reduce<unknown[]>((values, step) => values.flatMap((one) => stepInto(one, step)), [value])
}

function stepInto(value: unknown, step: string): unknown[] {
  if (Array.isArray(value)) {
    if (step === '*') return value
    const found: unknown = value.at(Number(step))
    return /^-?\d+$/u.test(step) && found !== undefined ? [found] : []
  }
  if (typeof value !== 'object' || value === null) return []
  if (step === '*') return Object.values(value)
  return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : []
}

function linesOf(value: unknown, name = ''): string[] {
  const prefix = name === '' ? '' : `${name}: `
  if (typeof value === 'string') return value.trim() === '' ? [] : [`${prefix}${value}`]
  if (typeof value === 'number' || typeof value === 'boolean') return [`${prefix}${value}`]
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(one, name))
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  // The only text of a value needs no name.
  const [only] = entries
  if (entries.length === 1 && only !== undefined && typeof only[1] === 'string') return linesOf(only[1])
  return entries.flatMap(([key, one]) => linesOf(one, key))
}
