/** Values that an answer gave, by the names that a page uses for them: `<id>` is `id` here. */
export type Values = Map<string, string>

const PLACEHOLDER = /^<([a-z][a-zA-Z]*)>$/u
const NAMED = /<([a-z][a-zA-Z]*)>/gu

/** Puts the values that are known into a text. */
export function fill(text: string, values: Values): string {
  return text.replaceAll(NAMED, (whole, name: string) => values.get(name) ?? whole)
}

/**
 * Compares data with what a page expects, and notes the values that it names.
 * @returns what differs, as `path: expected …, got …`; empty if nothing does
 */
export function differences(actual: unknown, expected: unknown, values: Values, path = 'data'): string[] {
  if (expected === '…') return actual === null || actual === undefined ? [`${path}: got nothing`] : []
  const name = typeof expected === 'string' ? PLACEHOLDER.exec(expected)?.[1] : undefined
  if (name !== undefined && !values.has(name)) {
    if (actual === null || actual === undefined) return [`${path}: got nothing`]
    values.set(name, String(actual))
    return []
  }
  if (typeof expected === 'string')
    return typeof actual === 'string' && pattern(fill(expected, values), 'whole').test(actual)
      ? []
      : [unlike(path, expected, actual)]
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [unlike(path, expected, actual)]
    return expected.flatMap((one, i) => differences(actual[i], one, values, `${path}[${i}]`))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return [unlike(path, expected, actual)]
    return Object.entries(expected).flatMap(([field, value]) =>
      differences((actual as Record<string, unknown>)[field], value, values, `${path}.${field}`),
    )
  }
  return Object.is(actual, expected) ? [] : [unlike(path, expected, actual)]
}

/** The first expected line that printed lines do not hold in this order; null if they hold all. Notes the values that they name. */
export function missingLine(printed: string, expected: string, values: Values): string | null {
  const lines = printed.split('\n')
  let from = 0
  for (const line of expected.split('\n').filter((text) => text.trim() !== '')) {
    const wanted = pattern(fill(line, values), 'part')
    const found = lines.findIndex((text, i) => i >= from && wanted.test(text))
    if (found === -1) return line
    for (const [name, value] of Object.entries(wanted.exec(lines[found] ?? '')?.groups ?? {}))
      values.set(name, value)
    from = found + 1
  }
  return null
}

/** An expression for a text in which `…` stands for anything. Spaces at the ends and between words count as one. */
function pattern(text: string, extent: 'whole' | 'part'): RegExp {
  const source = text
    .trim()
    .split('…')
    .map((part) =>
      part
        .split(/\s+/u)
        .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'))
        .map((word) => (extent === 'whole' ? word : word.replaceAll(NAMED, '(?<$1>\\S+)')))
        .join('\\s+'),
    )
    .join('[^]*')
  return new RegExp(extent === 'whole' ? `^\\s*${source}\\s*$` : source, 'u')
}

function unlike(path: string, expected: unknown, actual: unknown): string {
  return `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
}
