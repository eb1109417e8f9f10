import { outputColumns } from './columns.ts'

/**
 * The beginning of a one-line text: at most `most` characters, cut at the end of a word. If the output is not
 * a terminal, the text stays whole: a program or a file has room.
 */
export function shorten(text: string, most: number, columns = outputColumns()): string {
  if (columns === Number.POSITIVE_INFINITY || text.length <= most) return text
  const begun = text.slice(0, Math.max(1, most - 1))
  const blank = begun.lastIndexOf(' ')
  // A long word, such as an address, is cut: leaving it out would leave too little.
  const kept = text[begun.length] === ' ' || blank < most / 2 ? begun : begun.slice(0, blank)
  // Do not keep half of a surrogate pair.
  return `${kept.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`
}
