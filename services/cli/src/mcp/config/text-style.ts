/** How a text ends its lines, `\n` or `\r\n`, by its first line. */
export const lineEnd = (text: string): string => (/\r?\n/u.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n')

/** One step of indentation, by the first line that is set in; two blanks if none is. */
export const indentStep = (text: string): string => /\n([ \t]+)\S/u.exec(text)?.[1] ?? '  '

/** The blanks that the line of this offset begins with. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? ''
}

/** Replaces parts of a text; the parts must not overlap. */
export function splice(
  text: string,
  parts: readonly { readonly from: number; readonly to: number; readonly by: string }[],
): string {
  let result = text
  for (const { from, to, by } of parts.toSorted((one, next) => next.from - one.from))
    result = result.slice(0, from) + by + result.slice(to)
  return result
}
