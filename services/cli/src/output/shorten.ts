import { outputColumns } from './columns.ts'

/**
 * How a text of one line begins: at most so many characters, up to the end of a word. Where the output is no terminal it is left
 * whole: a program, or a file, has room.
 */
export function shorten(text: string, most: number, columns = outputColumns()): string {
  if (columns === Number.POSITIVE_INFINITY || text.length <= most) return text
  const begun = text.slice(0, Math.max(1, most - 1))
  const blank = begun.lastIndexOf(' ')
  // A long word, such as an address, is cut: to leave it out would say nothing.
  const kept = text[begun.length] === ' ' || blank < most / 2 ? begun : begun.slice(0, blank)
  // Not half of a sign that is two code units.
  return `${kept.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`
}
